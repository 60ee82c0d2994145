import { strict as assert } from "node:assert";
import { labKubelet } from "../../lab/node-settings";
import { skipIf } from "../support/skip";
import { asStory } from "../support/story";
import { notBuilt } from "../support/user-project";
import { clusterArguments, eventually, type Fixture, openFixture } from "./cluster-fixture";

/** Real kubeadm nodes with real systemd: what a refresh finds, and what `up` does about it. */
describe("a cluster whose nodes fall ill", function () {
    this.timeout("15m");
    asStory(this);
    let fixture: Fixture;

    const give = async (changes: object = {}) => {
        const args = {
            ...clusterArguments(fixture.lab, { masters: ["m1", "m2", "m3"], workers: ["w1"] }),
            registries: {},
            drain: { timeoutSeconds: 30, policy: "delete" },
            ...changes,
        } as any;
        args.pools.workers.kubelet = { ...labKubelet, evictionHard: { "nodefs.available": "100Mi" } };
        const secrets = { privateKey: fixture.lab.node("m1").privateKey };
        await fixture.project.setConfig({ cluster: JSON.stringify(args) }, { secrets: JSON.stringify(secrets) });
    };
    const isActive = async (node: string, unit: string) =>
        (await fixture.lab.ssh(node, `systemctl is-active ${unit} || true`)).stdout.trim();
    const ready = async () =>
        (await fixture.kubectl("get", "nodes", "-o", "jsonpath={range .items[*]}{.metadata.name} {end}")).trim();
    const readyNodes = () =>
        eventually(90, async () => {
            const lines = (await fixture.kubectl("get", "nodes", "--no-headers")).trim().split("\n");
            assert.ok(
                lines.every(line => / Ready /.test(line)),
                lines.join("\n"),
            );
            return lines.length;
        });
    /** The creation of a node's object: another one for a node that joined again. */
    const uidOf = (name: string) => fixture.kubectl("get", "node", name, "-o", "jsonpath={.metadata.uid}");

    const etcdMembers = async () => {
        const pki = "/etc/kubernetes/pki/etcd";
        const etcdctl = `etcdctl --cacert=${pki}/ca.crt --cert=${pki}/server.crt --key=${pki}/server.key`;
        const kubectl = "kubectl --kubeconfig /etc/kubernetes/admin.conf -n kube-system";
        return (await fixture.lab.mustSsh("m1", `${kubectl} exec etcd-m1 -- ${etcdctl} member list`))
            .trim()
            .split("\n");
    };

    before(async function () {
        skipIf(this, notBuilt());
        const volumes = { w1: [512 * 2 ** 20] };
        fixture = await openFixture({ name: "ill", nodes: ["m1", "m2", "m3", "w1"], volumes });
        // A disk of its own, so that filling it harms no other node: the others share the disk of the machine.
        await fixture.lab.mustSsh(
            "w1",
            "mkfs.ext4 -q /dev/vdb && mkdir -p /var/lib/kubelet && mount /dev/vdb /var/lib/kubelet",
        );
        await give();
        await fixture.project.up();
    });
    after(() => fixture?.close());

    for (const [node, unit, words] of [
        ["w1", "kubelet", "the kubelet is not running; pulumi up starts it again"],
        ["m2", "kubelet", "the kubelet is not running; pulumi up starts it again"],
        ["w1", "containerd", "the container runtime is not running; pulumi up starts it again"],
        ["m3", "containerd", "the container runtime does not answer; pulumi up restarts it"],
    ] as const) {
        const silent = words.includes("answer");
        it(`${unit} of ${node} does not ${silent ? "answer" : "run"}: a refresh says so, and up starts it and does nothing else`, async () => {
            const before = await uidOf(node);
            await fixture.lab.mustSsh(node, silent ? `systemctl kill -s STOP ${unit}` : `systemctl stop ${unit}`);
            const output = await fixture.project.up({ refresh: true });
            assert.ok(output.includes(`${node}: ${words}`), output);
            assert.equal(await isActive(node, unit), "active");
            assert.equal(await readyNodes(), 4);
            assert.equal(await uidOf(node), before);
            await fixture.project.up({ refresh: true, expectNoChanges: true });
        });
    }

    it("names a disk that is full and how to find out by what; nothing is changed, and nothing is said once it is free", async () => {
        const rest = "$(($(stat -f -c '%a * %S' /var/lib/kubelet) - (60 << 20)))";
        await fixture.lab.mustSsh("w1", `fallocate -l ${rest} /var/lib/kubelet/filler`);
        const output = await fixture.project.up({ refresh: true, expectNoChanges: true });
        assert.match(
            output,
            /w1: \d\d % of the space of \/var\/lib\/kubelet is used; pulumi up changes nothing: find what fills it: du -xhd 3/,
        );
        await fixture.lab.mustSsh("w1", "rm /var/lib/kubelet/filler");
        await eventually(60, async () => {
            const quiet = await fixture.project.up({ refresh: true, expectNoChanges: true });
            assert.doesNotMatch(quiet, /w1: /);
        });
    });

    it("tells of a machine that is off, and changes nothing; once it is on again there is nothing to say", async () => {
        await fixture.lab.powerOff("m2");
        const output = await fixture.project.up({ refresh: true, expectNoChanges: true });
        assert.match(
            output,
            /m2: kept as it was: the machine does not answer; pulumi up changes nothing: look at its power, its network and its console/,
        );
        await fixture.lab.powerOn("m2");
        assert.equal(await readyNodes(), 4);
        await eventually(120, async () => {
            const quiet = await fixture.project.up({ refresh: true, expectNoChanges: true });
            assert.doesNotMatch(quiet, /m2: /);
        });
    });

    it("tells of a member of etcd whose data is broken; healed by name, it joins again and nothing is lost", async () => {
        await fixture.kubectl("create", "configmap", "precious", "--from-literal=a=b");
        const before = await uidOf("m3");
        await fixture.lab.mustSsh(
            "m3",
            // Without kubelet nobody starts it again before its data is broken.
            "systemctl stop kubelet; pkill -9 -x etcd || true; sleep 1; " +
                "dd if=/dev/zero of=/var/lib/etcd/member/snap/db bs=4096 count=64 conv=notrunc status=none; systemctl start kubelet",
        );
        await eventually(90, async () => {
            const output = await fixture.project.up({ refresh: true, expectNoChanges: true });
            assert.match(output, /m3: [^\n]*its member of etcd does not answer the others/);
        });
        await give({ heal: { run: "etcd", nodes: ["m3"] } });
        await fixture.project.up();
        assert.equal(await readyNodes(), 4);
        assert.notEqual(await uidOf("m3"), before);
        assert.equal(await fixture.kubectl("get", "configmap", "precious", "-o", "jsonpath={.data.a}"), "b");
        assert.equal((await etcdMembers()).length, 3);
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });

    for (const [what, harm] of [
        ["was stopped", "systemctl stop kubelet"],
        ["does not start any more", "systemctl stop kubelet; echo broken >/var/lib/kubelet/config.yaml"],
    ] as const)
        it(`heals by name a worker with pods whose kubelet ${what}, without a wait for it`, async () => {
            const before = await uidOf("w1");
            const busy = ["deployment", "busy", "--image=pulumi-nfv.invalid/tools:1", "--replicas=2"];
            await fixture.kubectl("create", ...busy, "--", "sleep", "3600");
            // kubelet says for five minutes that its disk was full.
            await fixture.kubectl("rollout", "status", "deployment/busy", "--timeout=420s");
            await fixture.lab.mustSsh("w1", harm);
            const heal = { run: what.replaceAll(" ", "-"), nodes: ["w1"] };
            await give({ heal, drain: { timeoutSeconds: 300 } });
            const began = Date.now();
            await fixture.project.up();
            const seconds = Math.round((Date.now() - began) / 1000);
            console.log(`      ${seconds} s`);
            assert.equal(await readyNodes(), 4);
            assert.notEqual(await uidOf("w1"), before);
            await fixture.kubectl("rollout", "status", "deployment/busy", "--timeout=60s");
            await fixture.kubectl("delete", "deployment", "busy");
            assert.ok(seconds < 240, `${seconds} s: a drain waits 300 s for pods that no kubelet ends`);
        });

    it("heals the nodes that a person names, once for each word: they leave and join again", async () => {
        const before = { m2: await uidOf("m2"), m3: await uidOf("m3"), w1: await uidOf("w1") };
        await give({ heal: { run: "one", nodes: ["m2", "w1"] } });
        assert.match(await fixture.project.preview(), /operation: heal m2, w1 \(asked for: one\)/);
        await fixture.project.up();
        assert.equal(await readyNodes(), 4);
        assert.equal(await ready(), "m1 m2 m3 w1");
        assert.notEqual(await uidOf("m2"), before.m2);
        assert.notEqual(await uidOf("w1"), before.w1);
        assert.equal(await uidOf("m3"), before.m3);
        assert.equal((await etcdMembers()).length, 3);
        await fixture.project.up({ expectNoChanges: true });
    });
});
