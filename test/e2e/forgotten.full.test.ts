import { strict as assert } from "node:assert";
import { asStory } from "../support/story";
import { clusterArguments, eventually, type Fixture, openFixture } from "./cluster-fixture";

describe("a cluster whose list of nodes has lost some", function () {
    this.timeout("20m");
    asStory(this);
    const [master, worker] = ["m1", "w1"];
    let fixture: Fixture;

    const uidOf = (kind: string, name: string) =>
        fixture.kubectl("-n", "default", "get", kind, name, "-o", "jsonpath={.metadata.uid}");
    /** Deletes only the node object; the kubelet goes on. */
    const forget = async (node: string) => {
        const uid = await uidOf("node", node);
        await fixture.kubectl("delete", "node", node);
        assert.equal(await fixture.kubectl("get", "node", node, "--ignore-not-found", "-o", "name"), "");
        return uid;
    };
    /** `up --refresh` makes another node object of that name, it becomes Ready, and no changes remain. */
    const comesBack = async (node: string, former: string) => {
        await fixture.project.up({ refresh: true });
        await fixture.kubectl("wait", "--for=condition=Ready", `node/${node}`, "--timeout=120s");
        assert.notEqual(await uidOf("node", node), former);
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    };
    const members = async () => {
        const pki = "/etc/kubernetes/pki/etcd";
        const login = [`--cacert=${pki}/ca.crt`, `--cert=${pki}/server.crt`, `--key=${pki}/server.key`];
        return fixture.kubectl(
            "-n",
            "kube-system",
            "exec",
            `etcd-${master}`,
            "--",
            "etcdctl",
            ...login,
            "member",
            "list",
        );
    };

    before(async () => {
        fixture = await openFixture({ name: "forgotten", nodes: [master, worker], plugins: [] });
        const args: any = clusterArguments(fixture.lab, { masters: [master], workers: [worker] });
        delete args.registries;
        const secrets = { privateKey: fixture.lab.node(master).privateKey };
        await fixture.project.setConfig({ cluster: JSON.stringify(args) }, { secrets: JSON.stringify(secrets) });
        await fixture.project.up();
        await fixture.kubectl("-n", "default", "create", "configmap", "precious", "--from-literal=a=b");
    });
    after(() => fixture?.close());

    it("brings a worker back: it joins again, with its labels, and runs pods", async () => {
        const former = await forget(worker);
        await comesBack(worker, former);
        assert.equal(
            await fixture.kubectl("get", "node", worker, "-o", "jsonpath={.metadata.labels.tier}"),
            "packet-core",
        );
        const pods = ["-n", "kube-system", "get", "pods", "--field-selector", `spec.nodeName=${worker}`];
        await eventually(120, async () => {
            const phases = await fixture.kubectl(
                ...pods,
                "-o",
                "jsonpath={range .items[*]}{.status.phase}{'\\n'}{end}",
            );
            assert.deepEqual([...new Set(phases.trim().split("\n"))], ["Running"]);
        });
    });

    it("brings the only master back: it is registered again with its taint, and all data is still there", async () => {
        const [kept, member] = [await uidOf("configmap", "precious"), await members()];
        const former = await forget(master);
        await comesBack(master, former);
        const shown = await fixture.kubectl(
            "get",
            "node",
            master,
            "-o",
            "jsonpath={.spec.taints[*].key} {.metadata.labels}",
        );
        assert.match(shown, /node-role\.kubernetes\.io\/control-plane /);
        assert.match(shown, /"node-role\.kubernetes\.io\/control-plane":""/);
        assert.equal(await uidOf("configmap", "precious"), kept);
        // The mirror pod of etcd appears with the node object.
        await eventually(120, async () => assert.equal(await members(), member));
        await fixture.kubectl("wait", "--for=condition=Ready", `node/${worker}`, "--timeout=60s");
    });
});
