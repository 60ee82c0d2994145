import assert from "node:assert/strict";
import { inOrderOfRun } from "../../../../provider/phases/step-order";
import { stepLists } from "../steps/step-lists";

describe("the order of steps in previews", () => {
    it("is that in which they run, on each machine and node", async () => {
        const { hostSteps, "nodeSteps init": init, "nodeSteps join": join } = await stepLists();
        for (const node of [init!, join!])
            for (const nodeSpec of node.specs)
                for (const hostSpec of hostSteps!.specs) {
                    const titles = [...hostSteps!.bodiesOf(hostSpec), ...node.bodiesOf(nodeSpec)].map(
                        ({ title }) => title,
                    );
                    const sorted = [...titles].sort().map(title => ({ title }));
                    assert.deepEqual(
                        inOrderOfRun(sorted).map(({ title }) => title),
                        titles,
                    );
                }
    });

    it("begins with what is no step", () =>
        assert.deepEqual(
            inOrderOfRun([{ title: "apply kubelet settings" }, { title: "start kubelet again" }]).map(
                ({ title }) => title,
            ),
            ["start kubelet again", "apply kubelet settings"],
        ));
});
