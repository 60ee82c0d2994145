import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { processesOf } from "../../lab/cgroups";
import { Cloud } from "../../lab/openstack";
import { labFolder } from "../../lab/paths";
import { run, until } from "../../lab/process";
import { killProcess } from "../support/kill-tree";
import { prefix, Tenant } from "./tenant";

describe("a cloud that is killed", function () {
    this.timeout("15m");
    const name = "sparecloud";
    let cloud: Cloud;
    let tenant: Tenant;
    let address: string;

    before(async () => {
        cloud = await Cloud.up({ name });
        tenant = new Tenant(cloud);
        await tenant.prepare();
        address = await tenant.server(`${prefix}-2`, "--image", cloud.images.plain);
        await cloud.openstack(["volume", "create", "--size", "1", `${prefix}-data`]);
        await cloud.openstack(["server", "add", "volume", `${prefix}-2`, `${prefix}-data`]);
        await tenant.answers(address, "echo kept >/root/word; sync");
    });
    after(async () => {
        rmSync(tenant?.folder ?? "/nonexistent", { recursive: true, force: true });
        await Cloud.remove(name, { purge: true });
    });

    it("is found dead, and brought back by `up` with its servers, their disks and volumes", async () => {
        for (const pid of processesOf(name)) {
            killProcess(pid);
        }
        assert.ok(await until(10, () => Cloud.find(name) === undefined));
        cloud = await Cloud.up({ name });
        const word = "cat /root/word && ls /dev/vdb";
        // Neutron's agents need a while to reconnect to their server and message queue.
        assert.equal(await tenant.answers(address, word, 240), "kept\n/dev/vdb");
    });

    it("is removed with all it had: processes, namespace, mounts, loop devices, cgroups, folder", async () => {
        await cloud.down({ purge: true });
        assert.deepEqual(processesOf(name), []);
        assert.ok(!existsSync(labFolder(name)));
        assert.ok(!readdirSync("/run/netns").includes(`nfv-${name}`));
        assert.ok(!readFileSync("/proc/self/mountinfo", "utf8").includes(labFolder(name)));
        const { stdout } = await run(["losetup", "-n", "--raw", "-O", "BACK-FILE"]);
        assert.ok(!stdout.includes("(deleted)"), stdout);
        const groups = readdirSync("/sys/fs/cgroup").filter(each =>
            existsSync(`/sys/fs/cgroup/${each}/nfv-lab/${name}`),
        );
        assert.deepEqual(groups, []);
    });
});
