import assert from "node:assert/strict";
import type { CloudStartInputs, CloudStartState } from "../../../../../provider/cloud/cloud-start-inputs";
import { madeNow } from "../../../../../provider/cloud/heat/made-of";
import { unknownValue } from "../../../../../provider/contract/values";
import type { FakeCloud } from "../../openstack/fake-cloud";
import { cloudOfEnvironment } from "../../support/cloud";
import { listener } from "../../support/cluster";
import { inputsOf, operationStart, startNode } from "../../support/start-inputs";

describe("what servers of a stack are made of", () => {
    const jump = { name: "core-jump", output: "jump_address", server: "jump_server" };
    const wish = (names: string[], image = "debian", changes: Partial<CloudStartInputs["spec"]> = {}) => {
        const inputs = inputsOf(names, { jump: { ...jump, image, flavor: "tiny" }, ...changes });
        for (const name of names) inputs.spec.nodes[name] = startNode(name, { image, flavor: "medium" });
        return inputs;
    };
    /** As provider/adapters/serve.ts does it. */
    const checked = async (olds: Partial<CloudStartInputs>, news: CloudStartInputs) => {
        const live = await operationStart.checkInCloud!(olds, news, listener());
        assert.deepEqual(live.failures, []);
        return { ...operationStart.check(olds, news).inputs, ...live.inputs } as CloudStartState;
    };
    let cloud: FakeCloud;
    let leave: () => Promise<void>;
    const imagesAre = (...ids: string[]) => {
        cloud.routes["GET /image/v2/images"] = { images: ids.map(id => ({ id, name: "debian", status: "active" })) };
    };
    beforeEach(async () => {
        ({ cloud, leave } = await cloudOfEnvironment());
        const flavors = [
            { id: "f2", name: "medium" },
            { id: "f1", name: "tiny" },
        ];
        cloud.routes["GET /compute/flavors/detail"] = { flavors };
        imagesAre("i1");
    });
    afterEach(() => leave());

    it("are ids from the first use on, the jump server's too", async () => {
        const { images, flavors } = await checked({}, wish(["m1"]));
        assert.deepEqual(images, { m1: "i1", "core-jump": "i1" });
        assert.deepEqual(flavors, { m1: "f2", "core-jump": "f1" });
    });

    it("stay so when the cloud gives the names to others, or has two of one name; new ones get today's", async () => {
        const first = await checked({}, wish(["m1"]));
        imagesAre("i1", "i9");
        const asked = cloud.calls.length;
        const second = await checked(first, wish(["m1"]));
        assert.equal(cloud.calls.length, asked, "nothing new: nothing is asked");
        assert.deepEqual([second.images, second.flavors], [first.images, first.flavors]);
        imagesAre("i9");
        const third = await checked(second, wish(["m1", "w1"]));
        assert.deepEqual(third.images, { m1: "i1", w1: "i9", "core-jump": "i1" });
    });

    it("are as they were where the cloud did not tell an id: another word would replace the server", async () => {
        const olds = { ...(await checked({}, wish(["m1"]))), images: { m1: "debian" } };
        assert.equal((await checked(olds, wish(["m1"]))).images!.m1, "debian");
    });

    it("are today's for a server that is lost, and for a jump server of which something else is wanted", async () => {
        const first = await checked({}, wish(["m1", "w1"]));
        imagesAre("i9");
        const healed = await checked({ ...first, missing: { w1: "id-w1" } }, wish(["m1", "w1"]));
        assert.deepEqual(healed.images, { m1: "i1", w1: "i9", "core-jump": "i1" });
        const news = wish(["m1", "w1"]);
        news.spec.jump!.flavor = "medium";
        const { images, flavors } = await checked(first, news);
        assert.deepEqual([images!["core-jump"], flavors!["core-jump"], images!.m1], ["i9", "f2", "i1"]);
    });

    it("are the words that were given where the cloud has none or several, or does not answer: the checks speak of it", async () => {
        imagesAre("i1", "i9");
        assert.deepEqual((await checked({}, wish(["m1"]))).images!.m1, "debian");
        cloud.routes["GET /image/v2/images"] = () => ({ status: 403 });
        assert.deepEqual((await checked({}, wish(["m1"]))).images!.m1, "debian");
    });

    it("are not asked for with Nova, nor as long as they are not known", async () => {
        await checked({}, wish(["m1"], "debian", { backEnd: "nova" }));
        await operationStart.checkInCloud!({}, { ...wish([]), spec: unknownValue } as never, listener());
        await operationStart.checkInCloud!(
            {},
            { ...wish(["m1"]), spec: { ...wish(["m1"]).spec, cloud: unknownValue } } as never,
            listener(),
        );
        assert.deepEqual(cloud.calls, []);
        const later = wish(["m1"]);
        later.spec.nodes.m1!.image = unknownValue;
        assert.equal((await checked({}, later)).images!.m1, unknownValue);
    });

    it("are settled for each server once", () => {
        assert.deepEqual(madeNow({}, wish(["m1"])), ["m1", "core-jump"]);
        assert.deepEqual(madeNow(wish(["m1"]), wish(["m1"])), []);
    });
});
