import { strict as assert } from "node:assert";
import { type SetUp, SetUpFailed, type SetUpName, withSetUp } from "../../../dev/set-up";

describe("the set-up of a level", () => {
    let log: string[];
    const makes = (name: string): SetUp => ({
        make: async () => void log.push(`make ${name}`),
        start: async () => async () => void log.push(`remove ${name}`),
    });
    const fails: SetUp = {
        make: async () => {
            throw new Error("no packages");
        },
    };
    const names: SetUpName[] = ["lab", "cloud"];
    const work = async () => void log.push("test");

    beforeEach(() => {
        log = [];
    });

    it("is made before the first test and removed after the last, the last one first", async () => {
        await withSetUp(names, work, { lab: makes("lab"), cloud: makes("cloud") });
        assert.deepEqual(log, ["make lab", "make cloud", "test", "remove cloud", "remove lab"]);
    });

    it("is made once at a time where levels run side by side", async () => {
        const slow: SetUp = {
            make: async () => {
                log.push("begin");
                await new Promise(resolve => setTimeout(resolve, 20));
                log.push("end");
            },
        };
        await Promise.all([1, 2].map(() => withSetUp(["lab"], async () => {}, { lab: slow })));
        assert.deepEqual(log, ["begin", "end", "begin", "end"]);
    });

    it("that fails runs no test, says which one and why, and removes what was made before it", async () => {
        await assert.rejects(
            withSetUp(names, work, { lab: makes("lab"), cloud: fails }),
            (error: Error) => error instanceof SetUpFailed && error.message === 'set-up "cloud" failed: no packages',
        );
        assert.deepEqual(log, ["make lab", "remove lab"]);
    });

    it("is removed, too, when the tests end with an error", async () => {
        const broken = () => Promise.reject(new Error("mocha"));
        await assert.rejects(withSetUp(names, broken, { lab: makes("lab"), cloud: makes("cloud") }), /mocha/);
        assert.deepEqual(log, ["make lab", "make cloud", "remove cloud", "remove lab"]);
    });
});
