import assert from "node:assert/strict";
import {
    begunSnapshot,
    madeWith,
    mustBeTold,
    parseRestoreState,
    type RestoreStage,
    type RestoreState,
    restoredBefore,
    whyNotRestore,
} from "../../../../../provider/procedures/etcd-restore/restore-decision";

const clusterId = "core-12345678";
const state = (node: string, changes: Partial<RestoreState> = {}): RestoreState => ({
    ...{ node, member: clusterId, name: node, peer: `https://${node}:2380`, folder: "/var/lib/etcd", revision: 5000 },
    ...{ healthy: true, etcd: "9", members: ["m1", "m2", "m3"], stage: "none", done: [] },
    ...changes,
});
const off = { healthy: false, etcd: "", members: [] };
/** How the nodes stand in the restore "one". */
const standing = (...stages: RestoreStage[]) =>
    stages.map((stage, i) =>
        state(`m${i + 1}`, {
            ...(["stopped", "exchanged"].includes(stage) ? off : {}),
            ...(stage === "done" ? { done: [pair("one")] } : stage === "none" ? {} : { stage, begun: pair("one") }),
        }),
    );
const pair = (word: string, snapshot = "0123abcd") => ({ word, snapshot });
const all = (changes: Partial<RestoreState> = {}) => ["m1", "m2", "m3"].map(node => state(node, changes));

describe("a restore of etcd", () => {
    it("may be done where all control-plane nodes are members, also where their etcd does not answer", () => {
        assert.equal(whyNotRestore(all(), clusterId, "one"), undefined);
        const silent = all(off).map(({ revision: _, ...others }) => others);
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
            { begun: pair("other"), stage: "prepared" },
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
        assert.equal(begunSnapshot([{ ...m1!, done: [pair("one", "bbbbbbbb")] }, m2!, m3!], "one"), "bbbbbbbb");
    });

    it("is refused where nodes have begun it with different snapshots", () => {
        const [m1, m2, m3] = all();
        const states = [{ ...m1!, begun: pair("one", "aaaaaaaa") }, { ...m2!, done: [pair("one", "bbbbbbbb")] }, m3!];
        assert.match(whyNotRestore(states, clusterId, "one")!.message, /different snapshots: aaaaaaaa, bbbbbbbb/);
    });

    describe("is done", () => {
        it("where one member that works knows it, whatever joined since", () => {
            assert.equal(restoredBefore(standing("done", "none", "none"), clusterId, "one"), "0123abcd");
            assert.equal(restoredBefore(standing("done", "done", "none"), clusterId, "one"), "0123abcd");
            assert.equal(
                restoredBefore([...standing("done"), state("m2", { member: "" })], clusterId, "one"),
                "0123abcd",
            );
            assert.equal(restoredBefore(standing("done", "done", "done"), clusterId, "two"), undefined);
        });

        it("which a node that joined since is told", () => {
            assert.deepEqual(
                standing("done", "done", "none").map(each => mustBeTold(each, clusterId, "one")),
                [false, false, true],
            );
        });

        it("also where another one was done since, as after a change of the program that was taken back", () => {
            const states = all({ done: [pair("two", "4567cdef"), pair("one")] });
            assert.equal(restoredBefore(states, clusterId, "one"), "0123abcd");
            assert.equal(restoredBefore(states, clusterId, "two"), "4567cdef");
            assert.equal(restoredBefore(states, clusterId, "three"), undefined);
        });

        it("where all know it, whether they work or not; not where the only one that knows it does not work", () => {
            const dead = (states: RestoreState[]) => states.map(each => ({ ...each, ...off }));
            assert.equal(restoredBefore(dead(standing("done", "done", "done")), clusterId, "one"), "0123abcd");
            assert.equal(restoredBefore(dead(standing("done", "none", "none")), clusterId, "one"), undefined);
        });

        it("not where one of them is on the way", () => {
            assert.equal(restoredBefore(standing("done", "done", "exchanged"), clusterId, "one"), undefined);
            assert.equal(whyNotRestore(standing("done", "done", "exchanged"), clusterId, "one"), undefined);
        });
    });

    for (const stages of [
        ["none", "prepared", "none"],
        ["prepared", "stopped", "prepared"],
        ["exchanged", "stopped", "stopped"],
        ["done", "exchanged", "exchanged"],
    ] as RestoreStage[][])
        it(`goes on where they are ${stages.join(", ")}`, () => {
            assert.equal(restoredBefore(standing(...stages), clusterId, "one"), undefined);
            assert.equal(whyNotRestore(standing(...stages), clusterId, "one"), undefined);
        });

    for (const stages of [
        ["done", "none", "none"],
        ["done", "prepared", "prepared"],
        ["done", "done", "stopped"],
        ["exchanged", "exchanged", "none"],
        ["exchanged", "exchanged", "prepared"],
        ["stopped", "none", "stopped"],
    ] as RestoreStage[][])
        it(`is refused where they are ${stages.join(", ")}: they would get different data`, () => {
            // None of them works, or the one that has done it would be enough.
            const states = standing(...stages).map(each => ({ ...each, ...off }));
            assert.equal(restoredBefore(states, clusterId, "one"), undefined);
            const { message } = whyNotRestore(states, clusterId, "one")!;
            assert.match(message, /do not stand at the same part of the restore "one"[\s\S]*nothing was changed/);
            assert.match(message, /cure: "rejoin"[\s\S]*docs\/lost-majority\.md/);
        });

    it("is refused where two of them are etcds of their own, and the way out is named", () => {
        const [m1, m2, m3] = standing("done", "done", "exchanged");
        const alone = [m1!, m2!, { ...m3!, etcd: "8" }];
        assert.equal(restoredBefore(alone, clusterId, "one"), undefined);
        const { message } = whyNotRestore(alone, clusterId, "one")!;
        assert.match(message, /m3: restore etcd: RESTORE_FAILED[\s\S]*its etcd and that of m1 are two clusters/);
        assert.match(message, /heal m3: heal: \{ run: "…", nodes: \["m3"\], cure: "rejoin" \}/);
        const won = standing("done", "done", "done");
        const states = [{ ...won[0]!, healthy: false, etcd: "7" }, won[1]!, won[2]!];
        assert.equal(restoredBefore(states, clusterId, "one"), undefined);
        assert.match(
            whyNotRestore(states, clusterId, "one")!.message,
            /m1[\s\S]*two clusters[\s\S]*docs\/lost-majority\.md/,
        );
    });

    it("is refused where a member that works is not in the program: it would go on with the former data", () => {
        const states = all({ members: ["m1", "m2", "m3", "m9"] });
        assert.match(whyNotRestore(states, clusterId, "one")!.message, /members that the program does not: m9/);
        // Where etcd has no majority, that is what the restore is for.
        assert.equal(
            whyNotRestore(
                states.map(each => ({ ...each, healthy: false })),
                clusterId,
                "one",
            ),
            undefined,
        );
    });

    describe("gives all members data of one cluster", () => {
        const members = "m1=https://m1:2380,m2=https://m2:2380,m3=https://m3:2380";
        const prepared = (bump: number, of = members) =>
            ({ stage: "prepared", begun: pair("one"), madeWith: { members: of, bump } }) as const;

        it("with a revision that no client has seen, also where it is the second one of the same snapshot", () => {
            assert.deepEqual(madeWith(all({ revision: 5000 }), "one", 4000), { members, bump: 1_000_001_000 });
            assert.equal(madeWith(all({ revision: 1_000_004_100 }), "one", 4000).bump, 2_000_000_100);
            assert.equal(madeWith([{ ...state("m1"), revision: undefined as never }], "one", 4000).bump, 1_000_000_000);
        });

        it("those that are prepared later get what the first one has, as long as that is right", () => {
            const [m1, m2, m3] = all({ revision: 5000 });
            const made = (with1: object) => madeWith([{ ...m1!, ...with1 }, m2!, m3!], "one", 4000).bump;
            assert.equal(made(prepared(1_000_000_700)), 1_000_000_700);
            assert.equal(made(prepared(900)), 1_000_001_000, "clients have seen later ones");
            assert.equal(made(prepared(1_000_000_700, "m1=https://m1:2380")), 1_000_001_000, "for other members");
        });

        it("what is stopped is not made again: all go on with that, or the restore is refused", () => {
            const stopped = { ...prepared(7), ...off, stage: "stopped" } as const;
            const [m1, m2, m3] = [state("m1", stopped), state("m2", stopped), state("m3", prepared(7))];
            assert.equal(whyNotRestore([m1, m2, m3], clusterId, "one"), undefined);
            assert.equal(madeWith([m1, m2, m3], "one", 0).bump, 7);
            const other = { ...m2, madeWith: { members, bump: 8 } };
            assert.match(whyNotRestore([m1, other, m3], clusterId, "one")!.message, /made for different clusters/);
            const before = { ...m1, madeWith: { members: "m1=https://m1:2380,m9=https://m9:2380", bump: 7 } };
            assert.match(
                whyNotRestore([before, before, m3], clusterId, "one")!.message,
                /was made for the members \S+m9/,
            );
        });
    });

    it("reads what a node says", () => {
        const said =
            "member=core-12345678\nname=m1\npeer=https://10.0.0.1:2380\nfolder=/var/lib/etcd\nrevision=\nhealthy=yes\netcd=1A\nmembers=m1 m2 \n" +
            "begun=one 0123abcd\nstage=stopped\nplan=m1=https://10.0.0.1:2380 7\ndone=two 4567cdef\ndone=zero 89ab0123\n";
        assert.deepEqual(parseRestoreState("m1", said), {
            ...{ node: "m1", member: clusterId, name: "m1", peer: "https://10.0.0.1:2380", folder: "/var/lib/etcd" },
            ...{ healthy: true, etcd: "1a", members: ["m1", "m2"], stage: "stopped", begun: pair("one") },
            madeWith: { members: "m1=https://10.0.0.1:2380", bump: 7 },
            done: [pair("two", "4567cdef"), pair("zero", "89ab0123")],
        });
        assert.equal(parseRestoreState("m1", "revision=4711\n").revision, 4711);
    });
});
