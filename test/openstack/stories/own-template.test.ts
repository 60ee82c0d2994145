import { strict as assert } from "node:assert";
import { firstPlanCanBeApproved } from "../../support/plan-hash";
import { asStory } from "../../support/story";
import {
    type CloudFixture,
    destroyWithoutTrace,
    footprint,
    openCloudFixture,
    reachedByFloatingIp,
    readyNodes,
    serverIds,
} from "../cloud-fixture";
import { podAnswersMaster } from "../pod-answers";

const network = "own-template";
const [master, worker, second] = ["core-tacker-control-plane-1", "core-tacker-workers-1", "core-tacker-workers-2"];

/** Tacker's users have it beforehand: an external virtual link. */
async function makeNetwork({ cloud }: CloudFixture): Promise<void> {
    await cloud.openstack(["network", "create", network]);
    await cloud.openstack(["subnet", "create", "--network", network, "--subnet-range", "10.102.0.0/24", network]);
    await cloud.openstack(["router", "create", "--external-gateway", cloud.publicNetwork, network]);
    await cloud.openstack(["router", "add", "subnet", network, network]);
}

async function removeNetwork({ cloud }: CloudFixture): Promise<void> {
    await cloud.openstack(["router", "remove", "subnet", network, network]);
    await cloud.openstack(["router", "delete", network]);
    await cloud.openstack(["network", "delete", network]);
}

describe("a cluster on servers of a template of the user's in the style of Tacker", function () {
    this.timeout("25m");
    asStory(this);
    let fixture: CloudFixture;
    let untouched: Record<string, string[]>;

    before(async () => {
        fixture = await openCloudFixture("openstack-own-template", "own-tacker", { login: "lab-3" });
        await makeNetwork(fixture);
        untouched = await footprint(fixture);
        await fixture.configure({ style: "tacker", network, externalNetwork: fixture.cloud.publicNetwork });
    });

    after(async () => {
        try {
            if (fixture) await removeNetwork(fixture);
        } finally {
            await fixture?.close();
        }
    });

    it("stands after one `pulumi up`: both nodes Ready, asked by kubectl through a floating IP", async () => {
        firstPlanCanBeApproved(fixture.firstPlan);
        await fixture.project.up();
        assert.deepEqual(await readyNodes(fixture), [master, worker]);
        await reachedByFloatingIp(fixture);
    });

    it("lets pods on the worker answer the master over the template's ports", async () => {
        await podAnswersMaster(fixture, worker);
    });

    it("changes nothing when `up` runs again, after a refresh", async () => {
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });

    it(`scales the workers from 1 to 2 and back: the server of ${second} comes and goes, no other`, async () => {
        const earlier = await serverIds(fixture);
        await fixture.configure({ workers: 2 });
        await fixture.project.up();
        assert.deepEqual(await readyNodes(fixture), [master, worker, second]);
        const { [second]: added, ...others } = await serverIds(fixture);
        assert.ok(added);
        assert.deepEqual(others, earlier);
        await fixture.configure({ workers: 1 });
        await fixture.project.up();
        assert.deepEqual(await serverIds(fixture), earlier);
        const known = await fixture.kubectl("get", "nodes", "-o", "name");
        assert.deepEqual(known.trim().split("\n").sort(), [`node/${master}`, `node/${worker}`]);
    });

    it("leaves the project as it was after `pulumi destroy`", async () => {
        await destroyWithoutTrace(fixture, untouched);
    });
});
