import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Lab } from "../../../lab/lab";
import { run } from "../../../lab/process";
import { skipIf } from "../../support/skip";
import { cannotRun, remainsOf } from "./remains";

const machine = (setting: string) => readFileSync(`/proc/sys/${setting}`, "utf8").trim();

describe("lab nodes", function () {
    this.timeout(400_000);
    const name = "nodetest";
    let lab: Lab;

    before(async function () {
        skipIf(this, cannotRun());
        await Lab.remove(name);
        lab = await Lab.up({
            name,
            nodes: ["m1", "w1"],
            memoryBytes: 2 ** 30,
            cpus: 1,
            volumes: { w1: [2 ** 26] },
        });
    });

    after(async () => {
        if (!cannotRun()) {
            await Lab.remove(name);
            assert.deepEqual(await remainsOf(name), []);
        }
    });

    it("are machines with systemd in good order, a user with sudo, and a name", async () => {
        assert.equal(await lab.mustSsh("m1", "systemctl is-system-running --wait", "debian"), "running\n");
        assert.equal(await lab.mustSsh("m1", "sudo -n id -u", "debian"), "0\n");
        assert.equal(await lab.mustSsh("w1", "hostname"), "w1\n");
    });

    it("show the host key that was told beforehand, and no other", async () => {
        const scan = await run(lab.enter(["ssh-keyscan", "-t", "ed25519", lab.node("m1").address]));
        assert.equal(scan.stdout.trim(), `${lab.node("m1").address} ${lab.node("m1").hostKey}`);
        assert.notEqual(lab.node("m1").hostKey, lab.node("w1").hostKey);
    });

    it("reach each other, and are not reachable from the machine's own network", async () => {
        assert.equal((await lab.ssh("m1", "ping -c1 -W2 10.99.0.21")).code, 0);
        const { stdout } = await run(["ip", "route", "get", "10.99.0.11"], { anyExit: true });
        assert.doesNotMatch(stdout, /br0/);
    });

    it("have the memory and the processors they were given", async () => {
        assert.equal(await lab.mustSsh("m1", "free -m | awk '/Mem/{print $2}'; nproc"), "1024\n1\n");
    });

    it("are stopped by their memory limit without harm to others", async () => {
        const eat = await lab.ssh("m1", "head -c 1500M /dev/zero | tail | wc -c");
        assert.ok(eat.code !== 0 || eat.stdout.trim() !== String(1500 * 2 ** 20), "1.5 GB did not fit into 1 GiB");
        assert.equal(await lab.mustSsh("w1", "echo fine"), "fine\n");
    });

    it("change no setting of the machine", async () => {
        const settings = ["kernel/panic", "vm/overcommit_memory", "vm/panic_on_oom", "kernel/pid_max"];
        const before = settings.map(machine);
        const write = settings.map(setting => `echo 7 > /proc/sys/${setting}; cat /proc/sys/${setting}`).join("\n");
        assert.equal(await lab.mustSsh("m1", write), "7\n7\n7\n7\n");
        assert.deepEqual(settings.map(machine), before);
    });

    it("install packages", async () => {
        await lab.mustSsh("m1", "apt-get -qq update && apt-get -qq install -y --no-install-recommends conntrack");
        assert.match(await lab.mustSsh("m1", "conntrack --version"), /conntrack v/);
    });

    it("have their disks under the names that a cloud gives them, with the same content after a reboot", async () => {
        const disk = `/dev/disk/by-id/virtio-${lab.status().find(node => node.name === "w1")!.volumes[0]!.id}`;
        await lab.mustSsh("w1", `mkfs.ext4 -q ${disk} && mount ${disk} /mnt && echo kept > /mnt/file`);
        await lab.mustSsh("w1", `umount /mnt; echo "${disk} /mnt ext4 defaults 0 0" >> /etc/fstab`);
        await lab.reboot("w1");
        assert.equal(await lab.mustSsh("w1", "cat /mnt/file"), "kept\n");
    });

    it("lose addresses and rules when the plug is pulled, but not their files", async () => {
        await lab.mustSsh("m1", "echo kept > /root/file; sync; ip addr add 10.99.0.100/32 dev eth0");
        await lab.powerOff("m1");
        assert.equal(lab.status().find(node => node.name === "m1")!.state, "off");
        assert.notEqual((await lab.ssh("w1", "ping -c1 -W1 10.99.0.11")).code, 0);
        await lab.powerOn("m1");
        assert.equal(
            await lab.mustSsh("m1", "cat /root/file; ip addr show eth0 | grep -c 10.99.0.100 || true"),
            "kept\n0\n",
        );
    });

    it("lose what was not synced to their disks when the plug is pulled, and nothing else", async () => {
        await lab.mustSsh("w1", "echo kept >/mnt/synced; sync -f /mnt; echo lost >/mnt/unsynced");
        await lab.powerOff("w1");
        await lab.powerOn("w1");
        assert.equal(
            await lab.mustSsh("w1", "cat /mnt/file /mnt/synced; cat /mnt/unsynced 2>/dev/null || true"),
            "kept\nkept\n",
        );
    });

    it("hear nothing when they are cut off, and see no carrier loss", async () => {
        await lab.cut("m1");
        assert.equal(lab.status().find(node => node.name === "m1")!.state, "cut");
        assert.notEqual((await lab.ssh("w1", "ping -c1 -W1 10.99.0.11")).code, 0);
        await lab.restore("m1");
        assert.equal((await lab.ssh("w1", "ping -c3 -W2 10.99.0.11")).code, 0);
        assert.doesNotMatch(
            await lab.mustSsh("m1", "journalctl -k --no-pager; cat /sys/class/net/eth0/carrier"),
            /^0$/m,
        );
    });

    it("stay as they are when the lab is asked for again, and new ones join them", async () => {
        const key = lab.node("m1").hostKey;
        const again = await Lab.up({ name, nodes: ["m1", "w2"] });
        assert.equal(again.node("m1").hostKey, key);
        assert.deepEqual(again.nodes.map(node => node.name).sort(), ["m1", "w1", "w2"]);
        assert.equal(await again.mustSsh("w2", "hostname"), "w2\n");
    });
});

describe("labs side by side", function () {
    this.timeout(400_000);
    const names = ["sidea", "sideb"];

    before(function () {
        skipIf(this, cannotRun());
    });

    after(() => (cannotRun() ? undefined : Promise.all(names.map(name => Lab.remove(name)))));

    it("have nodes of the same names and addresses, and the end of one does not touch the other", async () => {
        const [a, b] = await Promise.all(names.map(name => Lab.up({ name, nodes: ["m1"] })));
        assert.equal(a!.node("m1").address, b!.node("m1").address);
        await a!.mustSsh("m1", "touch /root/of-a");
        assert.notEqual((await b!.ssh("m1", "test -e /root/of-a")).code, 0);
        await a!.down();
        assert.deepEqual(await remainsOf("sidea"), []);
        assert.equal(await b!.mustSsh("m1", "apt-get -qq update && hostname"), "m1\n");
    });
});
