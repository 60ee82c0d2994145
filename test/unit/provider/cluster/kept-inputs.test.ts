import { strict as assert } from "node:assert";
import { type KeptInputs, leftOutOfRun, sameKept } from "../../../../provider/cluster/kept-inputs";
import { unknownValue } from "../../../../provider/contract/values";

const base: KeptInputs = {
    fixed: { "network.podCidr": "10.244.0.0/16", "network.cni": "bridge" },
    ids: {},
    masters: ["m1"],
    endpoint: { kind: "vip", host: "10.0.0.9", port: 6443 },
};
const text = (change: Partial<KeptInputs> = {}) => JSON.stringify({ ...base, ...change });
const podCidr = { ...base.fixed, "network.podCidr": "10.64.0.0/16" };

describe("inputs that the checks of a cluster have seen", () => {
    const rows: [string, string | undefined, string | undefined, RegExp | undefined][] = [
        ["the same inputs", text(), text(), undefined],
        ["a fixed input", text(), text({ fixed: podCidr }), /^network\.podCidr changed in the program, and --target/],
        [
            "the endpoint",
            text(),
            text({ endpoint: { ...base.endpoint!, port: 7443 } }),
            /^the endpoint changed in the program/,
        ],
        ["other nodes: their own resources decide about them", text(), text({ masters: ["m1", "m2"] }), undefined],
        [
            "an input of another back end, which one side lacks",
            text({ fixed: {} }),
            text({ fixed: podCidr }),
            undefined,
        ],
        [
            "another name for the same thing in the cloud",
            text({ fixed: { net: "old" }, ids: { net: "id-1" } }),
            text({ fixed: { net: "new" }, ids: { net: "id-1" } }),
            undefined,
        ],
        ["a state without them", undefined, text({ fixed: podCidr }), undefined],
        ["what is not known at preview", text(), unknownValue, undefined],
    ];
    for (const [what, seen, wanted, expected] of rows) {
        it(`${what}: ${expected === undefined ? "passes" : "is refused by what acts"}`, () => {
            const found = leftOutOfRun(seen, wanted);
            if (expected === undefined) assert.equal(found, undefined);
            else assert.match(found!, expected);
        });
    }

    it("are as before whatever ids were found, and not with other nodes", () => {
        assert.equal(sameKept(text(), text({ ids: { "network.podCidr": "id" } })), true);
        assert.equal(sameKept(text(), text({ masters: ["m2"] })), false);
    });
});
