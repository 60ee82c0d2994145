import assert from "node:assert/strict";
import {
    begunSnapshot,
    bumpOf,
    isRestored,
    parseRestoreState,
    type RestoreState,
    whyNotRestore,
} from "../../../../provider/etcd/restore-decision";

const clusterId = "core-12345678";
const state = (node: string, changes: Partial<RestoreState> = {}): RestoreState => ({
    ...{ node, member: clusterId, name: node, peer: `https://${node}:2380`, folder: "/var/lib/etcd", revision: 5000 },
    ...changes,
});
const pair = (word: string, snapshot = "0123abcd") => ({ word, snapshot });
const all = (changes: Partial<RestoreState> = {}) => ["m1", "m2", "m3"].map(node => state(node, changes));

describe("a restore of etcd", () => {
    it("may be done where all control-plane nodes are members, also where their etcd does not answer", () => {
        assert.equal(whyNotRestore(all(), clusterId, "one"), undefined);
        const silent = all().map(({ revision: _, ...others }) => others);
        assert.equal(whyNotRestore(silent, clusterId, "one"), undefined);
    });

    for (const [what, changes, cause] of [
        [
            "is no member",
            { member: "" },
            /m2: restore etcd: RESTORE_FAILED[\s\S]*no control-plane node of this cluster yet/,
        ],
        ["is a member of another cluster", { member: "core-9" }, /m2[\s\S]*no control-plane node of this cluster yet/],
        ["has no etcd", { name: "", peer: "" }, /m2[\s\S]*no control-plane node of this cluster yet/],
        ["has its data elsewhere", { folder: "/data" }, /its etcd has its data in \/data/],
        [
            "is in the middle of another one",
            { begun: pair("other") },
            /"other" was begun and has not ended[\s\S]*run: "other"/,
        ],
    ] as [string, Partial<RestoreState>, RegExp][]) {
        it(`is refused where one of them ${what}, before anything changes`, () => {
            const [m1, , m3] = all();
            const error = whyNotRestore([m1!, state("m2", changes), m3!], clusterId, "one");
            assert.match(error!.message, cause);
            assert.match(error!.message, /nothing was changed/);
        });
    }

    it("that was stopped goes on with its snapshot, although the latest may be another one by now", () => {
        const [m1, m2, m3] = all();
        const states = [m1!, { ...m2!, begun: pair("one", "aaaaaaaa") }, m3!];
        assert.equal(begunSnapshot(states, "one"), "aaaaaaaa");
        assert.equal(begunSnapshot(states, "two"), undefined);
        assert.equal(begunSnapshot([{ ...m1!, done: pair("one", "bbbbbbbb") }, m2!, m3!], "one"), "bbbbbbbb");
    });

    it("is refused where nodes have begun it with different snapshots", () => {
        const [m1, m2, m3] = all();
        const states = [{ ...m1!, begun: pair("one", "aaaaaaaa") }, { ...m2!, done: pair("one", "bbbbbbbb") }, m3!];
        assert.match(whyNotRestore(states, clusterId, "one")!.message, /different snapshots: aaaaaaaa, bbbbbbbb/);
    });

    it("is done when all have done it, and not while one is on the way", () => {
        assert.equal(isRestored(all({ done: pair("one") }), "one"), true);
        assert.equal(isRestored(all({ done: pair("one") }), "two"), false);
        const [m1, m2] = all({ done: pair("one") });
        assert.equal(isRestored([m1!, { ...m2!, begun: pair("one") }], "one"), false);
    });

    it("leads to a revision that no client has seen, also where it is the second one of the same snapshot", () => {
        assert.equal(bumpOf(all({ revision: 5000 }), 4000), 1_000_001_000);
        assert.equal(bumpOf(all({ revision: 1_000_004_100 }), 4000), 2_000_000_100);
        assert.equal(bumpOf([{ ...state("m1"), revision: undefined as never }], 4000), 1_000_000_000);
    });

    it("reads what a node says", () => {
        const said =
            "member=core-12345678\nname=m1\npeer=https://10.0.0.1:2380\nfolder=/var/lib/etcd\nrevision=\nbegun=one 0123abcd\ndone=\n";
        assert.deepEqual(parseRestoreState("m1", said), {
            ...{ node: "m1", member: clusterId, name: "m1", peer: "https://10.0.0.1:2380", folder: "/var/lib/etcd" },
            begun: pair("one"),
        });
        assert.equal(parseRestoreState("m1", "revision=4711\n").revision, 4711);
    });
});
