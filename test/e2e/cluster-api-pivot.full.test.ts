import { strict as assert } from "node:assert";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { asManifest, labWorkload } from "../../dev/lab-workload";
import { substitute } from "../../provider/cluster-api/variables";
import { accessOf } from "../../provider/cluster-api/workload-kubeconfig";
import { killedAtEachStage } from "../support/kill-at-each-moment";
import { asStory } from "../support/story";
import { command, eventually, type Fixture } from "./cluster-fixture";
import { WorkloadOnNodes } from "./workload-on-nodes";

const stages = /(pause|wait until|make copies|no Cluster can|remove the|Clusters can|go on with)/;

/** A cluster of real machines that becomes its own management cluster, and comes back. */
describe("Cluster API with nodes of the lab: a cluster that manages itself", function () {
    this.timeout("25m");
    asStory(this);
    let site: WorkloadOnNodes;
    let fixture: Fixture;
    /** Of the cluster that manages itself. */
    let kubeconfig: string | undefined;
    let machines: string[];

    const onSelf = (...args: string[]) => {
        const kubectl = join(fixture.bundle, "bin", "kubectl");
        return command(fixture.lab.enter([kubectl, "--kubeconfig", join(fixture.folder, "self.kubeconfig"), ...args]));
    };
    const give = (move: object | null) => {
        const { endpoint, caCertificate, clientCertificate, clientKey } = accessOf(kubeconfig!);
        const settings = { vim: { endpoint, caCertificate }, move };
        return site.give({ site: null, pivot: { settings, login: { clientCertificate, clientKey } } });
    };
    const namesOf = async (kubectl: Fixture["kubectl"]) =>
        (await kubectl("get", "machines", "-A", "-o", "jsonpath={.items[*].metadata.name}")).split(" ").sort();
    const isAvailable = async (kubectl: Fixture["kubectl"]) => {
        const jsonpath = 'jsonpath={.status.conditions[?(@.type=="Available")].status}';
        assert.equal(await kubectl("get", "cluster", "self", "-o", jsonpath), "True");
    };
    /** Name and uid of each node: they are the same as long as no machine was made again. */
    const nodesOfSelf = () =>
        onSelf("get", "nodes", "-o", 'jsonpath={range .items[*]}{.metadata.name} {.metadata.uid}{"\\n"}{end}');
    const killed = () => killedAtEachStage(fixture.project, stages);

    before(async () => {
        site = await WorkloadOnNodes.open("capipivot", { others: [async () => kubeconfig] });
        fixture = site.fixture;
    });
    after(() => site?.close());

    it("is made by kubectl, beside a program that has the management cluster", async () => {
        await site.give({ site: null });
        await fixture.project.up();
        const file = join(fixture.folder, "self.yaml");
        writeFileSync(file, substitute(asManifest(labWorkload("self")), { WORKERS: "1" }, "self"));
        await fixture.kubectl("apply", "--server-side", "-f", file);
        await eventually(400, () => isAvailable(fixture.kubectl));
        const secret = await fixture.kubectl("get", "secret", "self-kubeconfig", "-o", "jsonpath={.data.value}");
        const text = Buffer.from(secret, "base64").toString();
        writeFileSync(join(fixture.folder, "self.kubeconfig"), text, { mode: 0o600 });
        kubeconfig = text;
        machines = await namesOf(fixture.kubectl);
        assert.equal(machines.length, 2);
    });

    it("manages itself after an `up` that was killed at each stage, and no machine was made again", async () => {
        const before = await nodesOfSelf();
        await give({});
        await killed();
        assert.deepEqual(JSON.parse(await fixture.project.output("moved")), ["default/self"]);
        assert.deepEqual(await namesOf(onSelf), machines);
        assert.equal(await fixture.kubectl("get", "clusters,machines", "-A", "-o", "name"), "");
        await eventually(120, () => isAvailable(onSelf));
        assert.equal(await nodesOfSelf(), before);
        assert.deepEqual(site.nodes(), ["m1", ...machines].sort());
        await fixture.project.up({ expectNoChanges: true });
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });

    it("makes a machine of its own by itself", async () => {
        await onSelf("scale", "machinedeployment", "self-md", "--replicas=2");
        await eventually(300, async () => {
            const ready = "jsonpath={.status.readyReplicas}";
            assert.equal(await onSelf("get", "machinedeployment", "self-md", "-o", ready), "2");
        });
        machines = await namesOf(onSelf);
        assert.deepEqual(site.nodes(), ["m1", ...machines].sort());
    });

    it("comes back when that is killed at each stage, too, with the machine that it has made", async () => {
        const before = await nodesOfSelf();
        await give(null);
        await killed();
        assert.deepEqual(await namesOf(fixture.kubectl), machines);
        await eventually(120, () => isAvailable(fixture.kubectl));
        assert.equal(await nodesOfSelf(), before);
        assert.equal(await onSelf("get", "clusters,machines", "-A", "-o", "name"), "");
    });

    it("is removed by the first management cluster, and no machine is left", async () => {
        await site.give({ site: null });
        await fixture.project.up();
        await fixture.kubectl("delete", "cluster", "self", "--timeout=300s");
        assert.deepEqual(site.nodes(), ["m1"]);
        await fixture.project.destroy();
    });
});
