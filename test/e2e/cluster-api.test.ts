import { strict as assert } from "node:assert";
import { asStory } from "../support/story";
import { WorkloadOnNodes } from "./workload-on-nodes";

/** The short form of cluster-api-nodes.full.test.ts. */
describe("Cluster API, four layers in one program", function () {
    this.timeout("15m");
    asStory(this);
    let site: WorkloadOnNodes;

    before(async () => {
        site = await WorkloadOnNodes.open("capishort");
    });
    after(() => site?.close());

    it("are made by one `up`: the function answers on the workload cluster", async () => {
        await site.give();
        await site.fixture.project.up();
        await site.settled(1);
        await site.answers();
    });

    it("are not changed by the next `up` with a refresh", () =>
        site.fixture.project.up({ refresh: true, expectNoChanges: true }));

    it("show at preview what a change of the machines does, and no change of what uses the cluster", async () => {
        await site.give({ workers: 2 });
        const preview = await site.fixture.project.preview();
        assert.match(preview, /site: pool md: 1 machine will be added/);
        assert.doesNotMatch(preview, /replace|VimRegistration site |CnfObjects web /);
    });

    it("are removed in reverse by `pulumi destroy`, and no machine is left", async () => {
        await site.fixture.project.destroy();
        assert.deepEqual(site.nodes(), ["m1"]);
        assert.deepEqual(JSON.parse(await site.fixture.project.exportStack()).deployment.resources ?? [], []);
    });
});
