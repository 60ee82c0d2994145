import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processesOf } from "../../lab/cgroups";
import { Cloud } from "../../lab/openstack";
import { runInRoot } from "../../lab/openstack/root";
import { inside } from "../../lab/openstack/settings";
import { labFolder } from "../../lab/paths";
import { run, until } from "../../lab/process";
import { killProcess } from "../support/kill-tree";
import { sharedCloud } from "./shared-cloud";

const prefix = "cloudtest";

/** What a tenant needs before the first server: keys, a network with a route to the outside, a rule for SSH. */
class Tenant {
    /** Below /tmp, because the cloud's own client can read files there. */
    readonly folder = mkdtempSync("/tmp/nfv-cloud-test-");

    constructor(readonly cloud: Cloud) {}

    async prepare(): Promise<void> {
        for (const name of ["id", "host"]) {
            await run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", this.file(name)]);
        }
        const indented = readFileSync(this.file("host"), "utf8").replace(/^/gm, "    ").trimEnd();
        const lines = [
            "#cloud-config",
            "disable_root: false",
            "ssh_keys:",
            `  ed25519_private: |\n${indented}`,
            `  ed25519_public: ${readFileSync(this.file("host.pub"), "utf8").trim()}`,
        ];
        writeFileSync(this.file("user-data"), `${lines.join("\n")}\n`);
        const commands = [
            ["keypair", "create", "--public-key", this.file("id.pub"), prefix],
            ["network", "create", prefix],
            ["subnet", "create", "--network", prefix, "--subnet-range", "10.77.0.0/24", prefix],
            ["router", "create", prefix],
            ["router", "set", "--external-gateway", this.cloud.publicNetwork, prefix],
            ["router", "add", "subnet", prefix, prefix],
            ["security", "group", "create", prefix],
            ["security", "group", "rule", "create", "--proto", "tcp", "--dst-port", "22", prefix],
        ];
        for (const command of commands) {
            await this.cloud.openstack(command);
        }
    }

    /** Returns the floating address. */
    async server(name: string, ...options: string[]): Promise<string> {
        await this.cloud.openstack(["port", "create", "--network", prefix, "--security-group", prefix, name]);
        const made = await this.cloud.json(["floating", "ip", "create", "--port", name, this.cloud.publicNetwork]);
        await this.cloud.openstack([
            ...["server", "create", "--flavor", "m1.small", "--port", name, "--key-name", prefix],
            ...["--user-data", this.file("user-data"), ...options, "--wait", name],
        ]);
        return String(made["floating_ip_address"]);
    }

    /** As root; accepts only the host key that the user data injected. */
    ssh(address: string, command: string) {
        writeFileSync(this.file("known"), `${address} ${readFileSync(this.file("host.pub"), "utf8")}`);
        const options = [`UserKnownHostsFile=${this.file("known")}`, "StrictHostKeyChecking=yes", "ConnectTimeout=3"];
        const argv = ["ssh", "-i", this.file("id"), ...options.flatMap(option => ["-o", option]), `root@${address}`];
        return run(this.cloud.enter([...argv, command]), { anyExit: true });
    }

    async answers(address: string, command = "true", seconds = 90): Promise<string> {
        let text = "";
        const ok = await until(seconds, async () => {
            const result = await this.ssh(address, command);
            text = result.stdout;
            return result.code === 0;
        });
        assert.ok(ok, `no login at ${address}`);
        return text.trim();
    }

    async remove(): Promise<void> {
        const attempt = (...words: string[]) => this.cloud.openstack(words).catch(() => "");
        await attempt("stack", "delete", "--yes", "--wait", prefix);
        for (const { ID } of await this.cloud.json<{ ID: string }[]>(["server", "list", "--name", prefix])) {
            await attempt("server", "delete", "--wait", ID);
        }
        for (const { ID, Port } of await this.cloud.json<Record<string, string>[]>(["floating", "ip", "list"])) {
            const owner = Port ? await attempt("port", "show", Port, "-f", "value", "-c", "name") : "";
            if (owner.startsWith(prefix)) {
                await attempt("floating", "ip", "delete", ID!);
            }
        }
        await attempt("volume", "delete", `${prefix}-data`);
        await attempt("port", "delete", `${prefix}-1`);
        await attempt("port", "delete", `${prefix}-2`);
        await attempt("router", "remove", "subnet", prefix, prefix);
        for (const what of [["router"], ["network"], ["security", "group"], ["keypair"]]) {
            await attempt(...what, "delete", prefix);
        }
        rmSync(this.folder, { recursive: true, force: true });
    }

    file(name: string): string {
        return join(this.folder, name);
    }
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

    it("gives out a server that shows the injected host key at its floating address and bears its name", async () => {
        address = await tenant.server(first, "--image", tenant.cloud.images.kubernetes);
        assert.equal(await tenant.answers(address, "cloud-init status --wait >/dev/null; hostname"), first);
    });

    it("has Kubernetes and its images in the golden image", async () => {
        const images = await tenant.answers(address, "kubeadm version -o short && ctr -n k8s.io images ls -q");
        assert.match(images, /^v1\.34\.4$/m);
        assert.match(images, /kube-apiserver:v1\.34\.4/);
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

    it("wires a port of a server anew when it changes, and goes on with others", async () => {
        const log = join(labFolder(tenant.cloud.name), "log/neutron-linuxbridge-agent.log");
        const { id } = await tenant.cloud.json(["port", "show", first]);
        const seen = readFileSync(log, "utf8").length;
        await tenant.cloud.openstack(["port", "set", "--allowed-address", "ip-address=10.77.9.9", first]);
        const said = () => readFileSync(log, "utf8").slice(seen);
        assert.ok(
            await until(60, async () => said().includes(`tap${String(id).slice(0, 11)} updated. Details`)),
            said(),
        );
        await tenant.answers(address);
        assert.ok(await until(20, async () => /allowed_address_pairs[\s\S]*10\.77\.9\.9/.test(said())), said());
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

/** Seconds since a service was started. */
async function serviceAge(cloud: string, service: string): Promise<number> {
    const words = `ps -o etimes= -p "$(cat ${inside.run}/${service}.pid)"`;
    return Number((await runInRoot(cloud, ["sh", "-c", words])).stdout);
}

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

    it("starts an agent that died and one that hangs again within a minute, and its status says so meanwhile", async () => {
        const [dead, hung] = ["neutron-dhcp-agent", "neutron-l3-agent"];
        const ofBoth = async () => {
            const { services } = await cloud.status();
            return [dead, hung].map(name => services.find(service => service.name === name)!);
        };
        const pid = (service: string) => `$(cat ${inside.run}/${service}.pid)`;
        // After a start, the reports of a service are ignored for a while: GRACE in python/nfv_lab/health.py.
        assert.ok(await until(90, async () => (await serviceAge(name, hung!)) > 60));
        const restarts = (await ofBoth()).map(service => service.restarts);
        await runInRoot(name, ["sh", "-c", `kill -KILL ${pid(dead!)}; kill -STOP ${pid(hung!)}`]);
        const seen = [new Set<string>(), new Set<string>()];
        const back = await until(60, async () => {
            const now = await ofBoth();
            for (const [i, { state }] of now.entries()) {
                seen[i]!.add(state);
            }
            return now.every(({ state, restarts: count }, i) => state === "healthy" && count === restarts[i]! + 1);
        });
        assert.ok(back, JSON.stringify(await ofBoth()));
        assert.ok(seen[0]!.has("dead") || seen[0]!.has("starting"), [...seen[0]!].join());
        assert.ok(seen[1]!.has("hung"), [...seen[1]!].join());
        await tenant.answers(address);
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
