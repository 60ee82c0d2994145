import assert from "node:assert/strict";
import { type NewMachines, type SeenMaster, whyNotOntoNew } from "../../../../provider/etcd/new-machines";

const machine = (name: string, host: string, changes: Partial<SeenMaster> = {}): SeenMaster => ({
    ...{ name, host, isMaster: false, isReady: false },
    ...changes,
});
const names = ["m1", "m2", "m3"];
const all = (prefix: string, changes: Partial<SeenMaster> = {}) =>
    names.map((name, i) => machine(name, `${prefix}${i + 1}`, changes));
const silent = { silent: "no route to host" };
const why = (changes: Partial<NewMachines> = {}) =>
    whyNotOntoNew({
        ...{ clusterId: "core-12345678", word: "one", begun: false, wanted: all("n"), formers: all("o", silent) },
        isGivenUp: () => true,
        ...changes,
    })?.message;

describe("a restore onto new machines", () => {
    it("may be done where these are empty, and each former one is silent and given up, or empty, too", () => {
        assert.equal(why(), undefined);
        assert.equal(why({ formers: [] }), undefined);
        assert.equal(why({ formers: all("o"), isGivenUp: () => false }), undefined);
    });

    const member = { isMaster: true, isReady: true };
    const [n1, n2, n3] = all("n");
    const [o1, , o3] = all("o", silent);
    for (const [what, changes, cause] of [
        [
            "a machine of the program is a member",
            { wanted: [n1!, { ...n2!, ...member }, n3!] },
            /m2 \(n2\) is a control-plane node already/,
        ],
        [
            "they live as before",
            { wanted: all("o", member), formers: [] },
            /m1 \(o1\), m2 \(o2\), m3 \(o3\) are control-plane nodes already/,
        ],
        [
            "a former one lives, although it was given up",
            { formers: [o1!, machine("m2", "o2", { isMaster: true }), o3!] },
            /the former m2 \(o2\) answers and has the cluster's data/,
        ],
        [
            "a former one does not let us in",
            { formers: [o1!, machine("m2", "o2", { closed: "m2 lives, and refuses the login" }), o3!] },
            /m2 lives, and refuses the login/,
        ],
        [
            "silent ones are not given up",
            { isGivenUp: (name: string) => name === "m1" },
            /former m2 \(o2\) does not answer: no route[\s\S]*NFV_GIVE_UP=core-12345678\/m2,core-12345678\/m3 pulumi up/,
        ],
    ] as [string, Partial<NewMachines>, RegExp][]) {
        it(`is refused where ${what}`, () => {
            assert.match(why(changes)!, cause);
            assert.match(why(changes)!, /RESTORE_FAILED[\s\S]*nothing was changed/);
        });
    }

    it("goes on where it was begun: the cluster that it began is no reason against it, a former one is", () => {
        assert.equal(why({ begun: true, wanted: all("n", member) }), undefined);
        const started = [{ ...n1!, isMaster: true }, n2!, n3!];
        assert.equal(why({ begun: true, wanted: started }), undefined);
        assert.match(why({ begun: true, wanted: started, formers: all("o", member) })!, /the former m1/);
    });
});
