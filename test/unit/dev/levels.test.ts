import { strict as assert } from "node:assert";
import { type Level, mochaRuns } from "../../../dev/levels";

const level = (places: Pick<Level, "folders" | "sideBySide">): Level => ({
    ...{ name: "some", title: "some", budgetMinutes: 1 },
    ...places,
});
const files: Record<string, string[]> = {
    all: ["all/engine/a", "all/engine/b", "all/node"],
    "all/engine": ["all/engine/a", "all/engine/b"],
};

describe("the test files of a level", () => {
    it("run one after another, where nothing else is said", () => {
        const runs = mochaRuns(level({ folders: ["all"] }), folder => files[folder]!);
        assert.deepEqual(runs, [{ files: files["all"], jobs: 1 }]);
    });

    it("run two at a time in the folders that allow it, and once only", () => {
        const runs = mochaRuns(level({ folders: ["all"], sideBySide: ["all/engine"] }), folder => files[folder]!);
        assert.deepEqual(runs, [
            { files: ["all/engine/a", "all/engine/b"], jobs: 2 },
            { files: ["all/node"], jobs: 1 },
        ]);
    });
});
