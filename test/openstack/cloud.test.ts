import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processesOf } from "../../lab/cgroups";
import { releaseOf, wiringAgent } from "../../lab/openstack/releases";
import { runInRoot } from "../../lab/openstack/root";
import { inside } from "../../lab/openstack/settings";
import { labFolder } from "../../lab/paths";
import { until } from "../support/eventually";
import { sharedCloud } from "./shared-cloud";
import { prefix, Tenant } from "./tenant";

/** Seconds since a service was started. */
async function serviceAge(cloud: string, service: string): Promise<number> {
    const words = `ps -o etimes= -p "$(cat ${inside.run}/${service}.pid)"`;
    return Number((await runInRoot(cloud, ["sh", "-c", words])).stdout);
}

describe("the lab's cloud", function () {
    this.timeout("10m");
    let tenant: Tenant;
    let address: string;
    const first = `${prefix}-1`;

    before(async () => {
        tenant = new Tenant(await sharedCloud());
        await tenant.prepare();
    });
    after(() => tenant?.remove());

    it("gives out a server that shows the injected host key at its floating address and has its name", async () => {
        address = await tenant.server(first, "--image", tenant.cloud.images.kubernetes);
        assert.equal(await tenant.answers(address, "cloud-init status --wait >/dev/null; hostname"), first);
    });

    it("has Kubernetes and its images in the golden image", async () => {
        const images = await tenant.answers(address, "kubeadm version -o short && ctr -n k8s.io images ls -q");
        assert.match(images, /^v1\.36\.3$/m);
        assert.match(images, /kube-apiserver:v1\.36\.3/);
    });

    it("keeps what must not be changed from its servers: the machine's clock", async () => {
        const result = await tenant.ssh(address, "date -s @0");
        assert.match(result.stderr, /not permitted/);
    });

    it("shows the boot and cloud-init on the console", async () => {
        const log = await tenant.cloud.openstack(["console", "log", "show", first]);
        assert.match(log, /cloud-init.*finished/i);
        const { id } = await tenant.cloud.json(["server", "show", first]);
        assert.match(tenant.cloud.consoleLog(String(id)), /Reached target.*multi-user/);
    });

    it("wires a port of a server again when it changes, and goes on with others", async () => {
        const log = tenant.cloud.logFile(wiringAgent(releaseOf(tenant.cloud.name)));
        const { id } = await tenant.cloud.json(["port", "show", first]);
        const seen = readFileSync(log, "utf8").length;
        await tenant.cloud.openstack(["port", "set", "--allowed-address", "ip-address=10.77.9.9", first]);
        const said = () => readFileSync(log, "utf8").slice(seen);
        await until(60, () => said().includes(`tap${String(id).slice(0, 11)} updated. Details`), said);
        await tenant.answers(address);
        await until(60, () => /allowed_address_pairs[\s\S]*10\.77\.9\.9/.test(said()), said);
        assert.doesNotMatch(said(), /Exit code: 4; Cmd: \['ebtables'/);
    });

    it("attaches a volume as a disk and takes it away again, also after a reboot", async () => {
        await tenant.cloud.openstack(["volume", "create", "--size", "1", `${prefix}-data`]);
        await tenant.cloud.openstack(["server", "add", "volume", first, `${prefix}-data`]);
        await tenant.answers(
            address,
            "mkfs.ext4 -q /dev/vdb && mount /dev/vdb /mnt && echo kept >/mnt/word && umount /mnt",
        );
        await tenant.cloud.openstack(["server", "reboot", "--wait", first]);
        const word = "mount /dev/disk/by-id/virtio-* /mnt && cat /mnt/word && umount /mnt";
        assert.equal(await tenant.answers(address, word), "kept");
        await tenant.cloud.openstack(["server", "remove", "volume", first, `${prefix}-data`]);
        assert.equal(await tenant.answers(address, "ls /dev/vdb 2>/dev/null || echo gone"), "gone");
    });

    it("starts an agent that died and one that hangs again within a minute, and its status says so meanwhile", async () => {
        const [dead, hung] = ["neutron-dhcp-agent", "neutron-l3-agent"];
        const ofBoth = async () => {
            const { services } = await tenant.cloud.status();
            return [dead, hung].map(name => services.find(service => service.name === name)!);
        };
        const pid = (service: string) => `$(cat ${inside.run}/${service}.pid)`;
        // After a start, the reports of a service are ignored for a while: GRACE in python/nfv_lab/health.py.
        await until(90, async () => (await serviceAge(tenant.cloud.name, hung!)) > 60);
        const restarts = (await ofBoth()).map(service => service.restarts);
        await runInRoot(tenant.cloud.name, ["sh", "-c", `kill -KILL ${pid(dead!)}; kill -STOP ${pid(hung!)}`]);
        const seen = [new Set<string>(), new Set<string>()];
        const isBack = async () => {
            const now = await ofBoth();
            for (const [i, { state }] of now.entries()) {
                seen[i]!.add(state);
            }
            return now.every(({ state, restarts: count }, i) => state === "healthy" && count === restarts[i]! + 1);
        };
        await until(60, isBack, async () => JSON.stringify(await ofBoth()));
        assert.ok(seen[0]!.has("dead") || seen[0]!.has("starting"), [...seen[0]!].join());
        assert.ok(seen[1]!.has("hung"), [...seen[1]!].join());
        await tenant.answers(address);
    });

    it("deletes a server with all that it had on the machine", async () => {
        const { id } = await tenant.cloud.json(["server", "show", first]);
        await tenant.cloud.openstack(["server", "delete", "--wait", first]);
        assert.ok(!existsSync(join(labFolder(tenant.cloud.name), "state/servers", String(id))));
        const group = `${tenant.cloud.name}/servers/server-${String(id).slice(0, 8)}${String(id).slice(9, 13)}`;
        assert.deepEqual(processesOf(group), []);
    });

    it("makes a stack with a server booted from a volume, replaces it when marked unhealthy, and deletes it", async () => {
        const volume = { image: tenant.cloud.images.plain, volume_size: 3, boot_index: 0, delete_on_termination: true };
        const properties = { flavor: "m1.tiny", networks: [{ network: prefix }], block_device_mapping_v2: [volume] };
        const server = { type: "OS::Nova::Server", properties: { name: `${prefix}-stack`, ...properties } };
        const template = { heat_template_version: "2018-08-31", resources: { server } };
        writeFileSync(tenant.file("stack.json"), JSON.stringify(template));
        const stack = (...words: string[]) => tenant.cloud.openstack(["stack", ...words]);
        const id = async () =>
            (await tenant.cloud.json(["stack", "resource", "show", prefix, "server"]))["physical_resource_id"];
        await stack("create", "--wait", "-t", tenant.file("stack.json"), prefix);
        const before = await id();
        await stack("resource", "mark", "unhealthy", prefix, "server", "broken");
        await stack("update", "--wait", "--existing", prefix);
        assert.notEqual(await id(), before);
        await stack("delete", "--yes", "--wait", prefix);
        const left = await tenant.cloud.json<unknown[]>(["server", "list", "--name", `${prefix}-stack`]);
        assert.deepEqual(left, []);
    });
});
