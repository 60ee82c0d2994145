import assert from "node:assert/strict";
import { masters } from "../../../../provider/cluster/masters";

const clusterId = "core-00000001";
const peers = (...names: string[]) =>
    JSON.stringify(names.map((name, i) => ({ name, connection: { host: `10.0.0.${i + 1}` } })));
const recorded = (...names: string[]) => names.map(name => `${clusterId}/${name}`);

describe("the masters that a state keeps", () => {
    it("are no change any more once those that left are no machines of the state", () => {
        const three = masters.check({}, { clusterId, peers: peers("m1", "m2", "m3") }).inputs;
        const one = { clusterId, peers: peers("m1") };
        const shrunk = masters.check(three, { ...one, recorded: recorded("m1", "m2", "m3") }).inputs;
        assert.equal(masters.diff("id", three, shrunk).changes, true);
        assert.deepEqual(
            shrunk.formers?.map(({ name }) => name),
            ["m2", "m3"],
        );
        const again = masters.check(shrunk, { ...one, recorded: recorded("m1") }).inputs;
        assert.equal(again.formers, undefined);
        assert.equal(masters.diff("id", shrunk, again).changes, false);
    });
});
