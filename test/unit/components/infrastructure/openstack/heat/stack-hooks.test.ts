import assert from "node:assert/strict";
import { stackWithTags } from "../../../../../../components/infrastructure/openstack/heat/stack-hooks";
import { FakeCloud } from "../../../../provider/openstack/fake-cloud";

describe("a stack whose name is taken", () => {
    let cloud: FakeCloud;
    const stack = (tags: string[]) => ({
        body: { stack: { id: "1", stack_name: "core", stack_status: "CREATE_IN_PROGRESS", tags } },
    });
    beforeEach(async () => {
        cloud = await FakeCloud.start();
    });
    afterEach(() => cloud.stop());

    it("is looked at until it has its tags: Heat stores them a moment later", async () => {
        cloud.routes["GET /orchestration/stacks/core"] = (_, times) => stack(times < 3 ? [] : ["pulumi-nfv.owner=a"]);
        assert.deepEqual((await stackWithTags(cloud.client(), "core", 1))!.tags, ["pulumi-nfv.owner=a"]);
    });

    it("may have none", async () => {
        cloud.routes["GET /orchestration/stacks/core"] = () => stack([]);
        assert.deepEqual((await stackWithTags(cloud.client(), "core", 1))!.tags, []);
        delete cloud.routes["GET /orchestration/stacks/core"];
        assert.equal(await stackWithTags(cloud.client(), "core", 1), undefined);
    });
});
