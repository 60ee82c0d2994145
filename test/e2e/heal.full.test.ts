import { strict as assert } from "node:assert";
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
        };
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

    before(async function () {
        skipIf(this, notBuilt());
        fixture = await openFixture({ name: "ill", nodes: ["m1", "m2", "m3", "w1"] });
        await give();
        await fixture.project.up();
    });
    after(() => fixture?.close());

    for (const [node, unit, words] of [
        ["w1", "kubelet", "the kubelet is not running; pulumi up starts it again"],
        ["m2", "kubelet", "the kubelet is not running; pulumi up starts it again"],
        ["w1", "containerd", "the container runtime is not running; pulumi up starts it again"],
    ] as const) {
        it(`${unit} of ${node} does not run: a refresh says so, and up starts it and does nothing else`, async () => {
            const before = await uidOf(node);
            await fixture.lab.mustSsh(node, `systemctl stop ${unit}`);
            const output = await fixture.project.up({ refresh: true });
            assert.ok(output.includes(`${node}: ${words}`), output);
            assert.equal(await isActive(node, unit), "active");
            assert.equal(await readyNodes(), 4);
            assert.equal(await uidOf(node), before);
            await fixture.project.up({ refresh: true, expectNoChanges: true });
        });
    }

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
        const members = await fixture.lab.mustSsh(
            "m1",
            "kubectl --kubeconfig /etc/kubernetes/admin.conf -n kube-system exec etcd-m1 -- etcdctl --cacert=/etc/kubernetes/pki/etcd/ca.crt --cert=/etc/kubernetes/pki/etcd/server.crt --key=/etc/kubernetes/pki/etcd/server.key member list",
        );
        assert.equal(members.trim().split("\n").length, 3, members);
        await fixture.project.up({ expectNoChanges: true });
    });
});
