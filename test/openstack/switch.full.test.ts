import { strict as assert } from "node:assert";
import * as path from "node:path";
import { projectRoot } from "../../dev/levels";
import { labKubelet, labKubeProxy } from "../../lab/node-settings";
import type { BackEnd } from "../../provider/openstack/requirements";
import { versions } from "../../tools/versions";
import { asStory } from "../support/story";
import {
    type CloudFixture,
    destroyWithoutTrace,
    footprint,
    openCloudFixture,
    readyNodes,
    serverIds,
} from "./cloud-fixture";
import { killWhileStackIsMade } from "./kill-run";

const nodes = ["core-control-plane-1", "core-workers-1"];

/** The same cluster by either back end: machines that boot from volumes, reachable only through a jump server of ours. */
function clusterBy(backEnd: BackEnd, { cloud }: CloudFixture, others: object = {}): string {
    const servers = {
        image: cloud.images.kubernetes,
        flavor: "m1.medium",
        externalNetwork: cloud.publicNetwork,
        access: { jumpServer: { flavor: "m1.small" } },
        server: { bootVolume: { sizeGiB: 10 } },
    };
    return JSON.stringify({
        infrastructure: { [backEnd]: servers },
        kubernetes: { version: versions.kubernetes },
        controlPlane: { count: 1 },
        pools: { workers: { count: 1 } },
        kubelet: labKubelet,
        kubeProxy: labKubeProxy,
        ...others,
    });
}

describe("a cluster whose servers come from Nova, then from Heat", function () {
    this.timeout("15m");
    asStory(this);
    let fixture: CloudFixture;
    let untouched: Record<string, string[]>;
    let kubeconfig: string;
    let servers: Record<string, string>;

    let deployed: Record<string, string[]>;

    const look = async () => {
        kubeconfig = await fixture.project.output("kubeconfig");
        servers = await serverIds(fixture);
    };

    before(async () => {
        fixture = await openCloudFixture("program", "switch", { programs: "test/openstack" });
        untouched = await footprint(fixture);
        const manifests = path.join(projectRoot, "examples/openstack-nova/manifests");
        await fixture.project.setConfig({ cluster: clusterBy("nova", fixture), manifests });
        await fixture.project.up();
        await look();
        deployed = await footprint(fixture);
    });

    after(async () => fixture?.close());

    it("is announced as a cluster that is made, one that is deleted, and a network function that moves", async () => {
        await fixture.project.setConfig({ cluster: clusterBy("heat", fixture) });
        const text = await fixture.project.preview();
        const told = [
            /\+ +openstack:orchestration:StackV1 core create/,
            /- +pulumi-nfv:index:ClusterOnNova core delete/,
            ...nodes.flatMap(node => [
                new RegExp(`\\+ +pulumi-nodejs:dynamic/nfv:Node ${node} create`),
                new RegExp(`- +pulumi-nodejs:dynamic/nfv:Node ${node} delete`),
                new RegExp(`- +openstack:compute:Instance ${node} delete`),
            ]),
            /\+- kubernetes:apps\/v1:Deployment web\/Deployment\/demo\/web replace/,
        ];
        for (const line of told) assert.match(text, line);
        assert.deepEqual(await footprint(fixture), deployed);
    });

    it("stays as it was when the run is killed and the user changes back", async () => {
        await killWhileStackIsMade(fixture);
        await fixture.project.setConfig({ cluster: clusterBy("nova", fixture) });
        await fixture.project.up();
        assert.deepEqual(await serverIds(fixture), servers);
        assert.equal(await fixture.project.output("kubeconfig"), kubeconfig);
        assert.deepEqual(await readyNodes(fixture), nodes);
        assert.deepEqual(await footprint(fixture), deployed);
    });

    it("is another one after one `pulumi up`, with the network function; nothing of the former is left", async () => {
        await fixture.project.setConfig({ cluster: clusterBy("heat", fixture) });
        await fixture.project.up();
        assert.deepEqual(await readyNodes(fixture), nodes);
        const ready = ["get", "deployment", "web", "-n", "demo", "-o", "jsonpath={.status.readyReplicas}"];
        assert.equal(await fixture.kubectl(...ready), "1");
        const { kubeconfig: formerly, servers: former } = { kubeconfig, servers };
        await look();
        assert.notEqual(kubeconfig, formerly);
        for (const [name, id] of Object.entries(servers)) assert.notEqual(id, former[name], name);
        assert.deepEqual(countsOf(await footprint(fixture)), { ...countsOf(deployed), stacks: 1 });
        await fixture.project.up({ expectNoChanges: true });
    });

    it("gets a server back that was deleted behind our back, with another volume to boot from", async () => {
        const lost = nodes[1]!;
        const taken = await footprint(fixture);
        await fixture.cloud.openstack(["server", "delete", "--wait", servers[lost]!]);
        await fixture.project.up({ refresh: true });
        const { [lost]: healed, ...others } = await serverIds(fixture);
        const { [lost]: gone, ...kept } = servers;
        assert.ok(healed && healed !== gone);
        assert.deepEqual(others, kept);
        assert.deepEqual(await readyNodes(fixture), nodes);
        assert.deepEqual(countsOf(await footprint(fixture)), countsOf(taken));
    });

    it("leaves the project as it was after `pulumi destroy`", async () => {
        await destroyWithoutTrace(fixture, untouched);
    });
});

/** Numbers of resources, which must be equal for both back ends; generated names differ. */
function countsOf(found: Record<string, string[]>): Record<string, number> {
    return Object.fromEntries(Object.entries(found).map(([kind, names]) => [kind, names.length]));
}
