import { strict as assert } from "node:assert";
import { accessOf } from "../../provider/cluster-api/workload-kubeconfig";
import { killedAtEachStage } from "../support/kill-at-each-moment";
import { asStory } from "../support/story";
import { eventually } from "./cluster-fixture";
import { WorkloadOnNodes } from "./workload-on-nodes";

const stages = /(pause|wait until|make copies|no Cluster can|remove the|Clusters can|go on with)/;
const pivoted = { settings: { of: "site", move: {} } };
/** Cluster API is on it, and its objects are where they were. */
const ready = { settings: { of: "site" } };

/** A WorkloadCluster becomes its own management cluster within the program that made it. */
describe("Cluster API with nodes of the lab: a WorkloadCluster that manages itself", function () {
    this.timeout("45m");
    asStory(this);
    let site: WorkloadOnNodes;
    let kubeconfig: string | undefined;
    let machines: string[];

    const up = (options: object = {}) => site.fixture.project.up(options);
    const killed = () => killedAtEachStage(site.fixture.project, stages);
    const ofFirst = () => site.names("clusters,machines,machinedeployments", "-A");
    const ofSelf = async (kinds = "clusters,machines,machinedeployments") =>
        (await site.onSite("get", kinds, "-A", "-o", "name")).split("\n").filter(line => line !== "");
    const namesIn = (found: string[]) =>
        found.flatMap(each => /^machine\.cluster\.x-k8s\.io\/(.*)$/.exec(each)?.[1] ?? []).sort();
    /** Name and uid of each node: they are the same as long as no machine was made again. */
    const nodesOfSite = () =>
        site.onSite("get", "nodes", "-o", 'jsonpath={range .items[*]}{.metadata.name} {.metadata.uid}{"\\n"}{end}');
    const isAvailable = (get: (...args: string[]) => Promise<string>) =>
        eventually(120, async () => {
            const path = 'jsonpath={.status.conditions[?(@.type=="Available")].status}';
            assert.equal(await get("get", "cluster", "site", "-o", path), "True");
        });
    const loginsNoted = async () =>
        (await site.names("secrets", "-n", "kube-system")).filter(name => name.includes("moved-to"));

    before(async () => {
        site = await WorkloadOnNodes.open("haself", { others: [async () => kubeconfig] });
    });
    after(() => site?.close());

    it("is made, with Cluster API on it", async () => {
        await site.give({ movable: true, pivot: ready });
        await up();
        kubeconfig = await site.fixture.project.output("kubeconfig-site");
        machines = namesIn(await ofFirst());
        assert.equal(machines.length, 2);
        await site.answers();
        await up({ refresh: true, expectNoChanges: true });
    });

    it("manages itself after an `up` that was killed at each stage, and the program knows it as the same", async () => {
        const before = await nodesOfSite();
        await site.give({ movable: true, pivot: pivoted });
        await killed();
        assert.deepEqual(JSON.parse(await site.fixture.project.output("moved")), ["default/site"]);
        assert.deepEqual(await ofFirst(), []);
        assert.deepEqual(namesIn(await ofSelf()), machines);
        assert.equal((await loginsNoted()).length, 1);
        await isAvailable((...args) => site.onSite(...args));
        assert.equal(await nodesOfSite(), before);
        await up({ expectNoChanges: true });
        await up({ refresh: true, expectNoChanges: true });
        await site.answers();
    });

    it("gets another worker where it is now", async () => {
        await site.give({ movable: true, pivot: pivoted, workers: 2 });
        await up();
        await site.settled(2);
        machines = namesIn(await ofSelf());
        assert.equal(machines.length, 3);
        assert.deepEqual(await ofFirst(), []);
        await up({ refresh: true, expectNoChanges: true });
    });

    it("comes back when that is killed at each stage, too, and is scaled there", async () => {
        const before = await nodesOfSite();
        await site.give({ movable: true, pivot: ready, workers: 2 });
        await killed();
        assert.deepEqual(namesIn(await ofFirst()), machines);
        assert.deepEqual(await ofSelf(), []);
        assert.deepEqual(await loginsNoted(), []);
        await isAvailable((...args) => site.fixture.kubectl(...args));
        assert.equal(await nodesOfSite(), before);
        await up({ refresh: true, expectNoChanges: true });
        await site.give({ movable: true, pivot: ready, workers: 1 });
        await up();
        await site.settled(1);
    });

    it("manages itself for ever without the first one, in the steps of docs/cluster-api.md", async () => {
        const before = await nodesOfSite();
        const move = { of: "site", move: {}, retainOnDelete: true };
        await site.give({ movable: true, pivot: { settings: move } });
        await up();
        const { endpoint, caCertificate, clientCertificate, clientKey } = accessOf(kubeconfig!);
        const login = { clientCertificate, clientKey };
        const alone = { of: "site", vim: { endpoint, caCertificate } };
        await site.give({ movable: true, pivot: { settings: alone, login } });
        assert.doesNotMatch(await site.fixture.project.preview(), /replace/);
        await up();
        assert.equal(namesIn(await ofSelf()).length, 2);
        await site.give({ movable: true, pivot: { settings: { ...alone, withoutFirst: true }, login } });
        await up();
        assert.deepEqual(
            (await site.names("crds")).filter(name => name.includes("cluster.x-k8s.io")),
            [],
        );
        await up({ refresh: true, expectNoChanges: true });
        await site.give({ movable: true, pivot: { settings: { ...alone, withoutFirst: true }, login }, workers: 2 });
        await up();
        await site.settled(2);
        await site.give({ site: null, pivot: { settings: { withoutFirst: true } } });
        const { code, output } = await site.fixture.project.start(["up", "--yes", "--skip-preview"]).done;
        assert.notEqual(code, 0);
        assert.match(output, /CLUSTER_IN_USE/);
        await site.give({ movable: true, pivot: { settings: { ...alone, withoutFirst: true }, login }, workers: 2 });
        await up();
        await site.settled(2);
        await site.answers();
        const after = await nodesOfSite();
        for (const line of before.trim().split("\n")) assert.ok(after.includes(line), line);
    });

    it("is given to a management cluster again, which can remove it", async () => {
        const { endpoint, caCertificate, clientCertificate, clientKey } = accessOf(kubeconfig!);
        const login = { clientCertificate, clientKey };
        const alone = { of: "site", vim: { endpoint, caCertificate } };
        const before = await nodesOfSite();
        const moveBack = { ...alone, moveBack: {}, retainOnDelete: true };
        await site.give({ movable: true, pivot: { settings: moveBack, login }, workers: 2 });
        await up();
        assert.deepEqual(await ofSelf(), []);
        await site.give({ movable: true, pivot: ready, workers: 2 });
        assert.doesNotMatch(await site.fixture.project.preview(), /replace/);
        await up();
        assert.equal(await nodesOfSite(), before);
        await up({ refresh: true, expectNoChanges: true });
        await site.settled(2);
    });

    it("is destroyed while it manages itself: it comes back first, and no machine is left", async () => {
        await site.give({ movable: true, pivot: pivoted });
        await up();
        assert.deepEqual(await ofFirst(), []);
        await site.fixture.project.destroy();
        assert.deepEqual(site.nodes(), ["m1"]);
    });
});
