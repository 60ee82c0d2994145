import assert from "node:assert/strict";
import {
    backup,
    heal,
    hintOfGuard,
    instantiate,
    type Order,
    refuseUnread,
    restore,
    rotate,
    scale,
    upgrade,
    wordOf,
} from "../../../../pipeline/plan/order";
import type { Plan } from "../../../../pipeline/plan/plan";
import type { RotatedKey } from "../../../../pipeline/plan/rotated-keys";

const plan = {
    operations: [{ cluster: "core", names: ["heal"], text: "heal w1 (asked for: job-7)" }],
    resources: [],
    wanted: { core: { kubernetesVersion: "1.34.4", groups: { controlPlane: ["m1"], workers: ["w1", "w2"] } } },
} as unknown as Plan;
const asked = {
    OperationStart: ["job-7"],
    EtcdBackup: ["a"],
    EtcdRestore: ["a"],
    LoginRotation: ["a"],
    AuthorityRotation: [undefined],
};
const check = (order: Order) => refuseUnread(order, plan, "cluster", asked);

describe("what is asked of a stack", () => {
    it("sets what fromConfig reads", () => {
        assert.deepEqual(scale({ workers: 3, controlPlane: 1 }).settings, [
            { path: ["pools", "workers", "count"], value: 3 },
            { path: ["controlPlane", "count"], value: 1 },
        ]);
        assert.deepEqual(heal({ nodes: "all", run: "a", cure: "rejoin" }).settings[0]!.value, {
            ...{ run: "a", all: true, cure: "rejoin" },
        });
        assert.deepEqual(backup("job-7").settings, [{ path: ["etcdBackup", "run"], value: "job-7" }]);
        assert.deepEqual(restore({ run: "a", snapshot: "0123abcd", onto: "newMachines" }).settings[0], {
            path: ["etcdRestore"],
            value: { run: "a", snapshot: "0123abcd", onto: "newMachines" },
        });
        assert.deepEqual(restore({ run: "a" }).settings[0]!.value, { run: "a" });
        assert.deepEqual(rotate(["encryptionKey", "authorities"], { run: "a", graceHours: 0 }).settings, [
            { path: ["rotate", "encryptionKey"], value: "a" },
            { path: ["rotate", "authorities"], value: "a" },
            { path: ["rotate", "authoritiesGraceHours"], value: 0 },
        ]);
        assert.deepEqual(upgrade("v1.34.5").settings, [{ path: ["kubernetes", "version"], value: "1.34.5" }]);
    });

    it("passes where the plan shows it", () => {
        check(scale({ workers: 2 }));
        check(scale({ gone: 0 }));
        check(heal({ nodes: ["w1"], run: "job-7" }));
        check(upgrade("1.34.4"));
        check(backup("a"));
        check(restore({ run: "a" }));
        check(rotate(["loginKey"], { run: "a" }));
        check(rotate(["authorities"], { run: "unknown-yet" }));
    });

    const unread: [string, Order, RegExp][] = [
        [
            "a scale",
            scale({ workers: 3 }),
            /workers would not have 3 nodes, .*core \(controlPlane 1, workers 2\)[\s\S]*fromConfig/,
        ],
        [
            "the pool of a scale",
            scale({ wrokers: 2 }),
            /wrokers would not have 2 nodes[\s\S]*; did you mean "workers"\?/,
        ],
        ["a heal", heal({ nodes: ["w1"], run: "job-8" }), /no node would be healed under the word job-8/],
        ["a backup", backup("job-8"), /no snapshot would be made under the word job-8/],
        ["a restore", restore({ run: "job-8" }), /nothing would be restored under the word job-8/],
        ["a rotation", rotate(["loginKey"], { run: "b" }), /loginKey would not be exchanged under the word b/],
        ["one of two rotations", rotate(["loginKey", "encryptionKey"], { run: "a" }), /encryptionKey would not be/],
        ["an upgrade", upgrade("1.35.0"), /no cluster would have Kubernetes 1\.35\.0/],
    ];
    for (const [what, order, message] of unread) {
        it(`is refused where the program does not read ${what}`, () => assert.throws(() => check(order), message));
    }

    const fresh = { ...plan, operations: [{ names: ["instantiate"] }] } as unknown as Plan;
    const changed = { ...plan, operations: [{ names: ["scale", "modify_information"] }] } as unknown as Plan;

    it("says to make the cluster first where it does not exist", () => {
        const order = heal({ nodes: ["w1"], run: "a" });
        assert.throws(() => refuseUnread(order, fresh, "cluster", {}), /first \(nfv instantiate\)/);
        assert.match(hintOfGuard(fresh, scale({ workers: 3 }), true) ?? "", /first \(nfv instantiate\)/);
    });

    const hints: [string, Order, boolean, RegExp | undefined][] = [
        [
            "changes that are not made yet",
            scale({ workers: 3 }),
            true,
            /first \(nfv up\).*--allow scale,modify_information\)/,
        ],
        ["a cluster that exists", instantiate, true, /first \(nfv up\)/],
        ["a guard of the caller", scale({ workers: 3 }), false, undefined],
        ["an operation that may do everything", { name: "up", settings: [] }, true, undefined],
    ];
    for (const [what, order, isOwn, hint] of hints) {
        it(`says what to do about ${what}`, () => {
            const found = hintOfGuard(changed, order, isOwn);
            if (hint === undefined) assert.equal(found, undefined);
            else assert.match(found ?? "", hint);
        });
    }

    const wrong: [string, () => Order, RegExp][] = [
        ["no pool", () => scale({}), /name a pool/],
        ["half a node", () => scale({ workers: 1.5 }), /whole number/],
        ["no nodes to heal", () => heal({ nodes: [], run: "a" }), /name the nodes/],
        ["two words for a backup", () => backup("a b"), /a word of letters/],
        ["no key to exchange", () => rotate([], { run: "a" }), /nothing is named: there are encryptionKey/],
        ["another key", () => rotate(["ca" as RotatedKey], { run: "a" }), /ca: there are encryptionKey/],
        ["half an hour", () => rotate(["authorities"], { run: "a", graceHours: 0.5 }), /whole number/],
        ["a grace of the login key", () => rotate(["loginKey"], { run: "a", graceHours: 2 }), /loginKey: has no grace/],
        ["a grace without one", () => rotate(["loginKey"], { run: "a", graceHours: 2 }), /loginKey: has no grace/],
        ["two words for a restore", () => restore({ run: "a b" }), /a word of letters/],
        ["a version of two numbers", () => upgrade("1.34"), /a version such as/],
    ];
    for (const [what, order, message] of wrong) it(`is refused with ${what}`, () => assert.throws(order, message));

    it("names a heal by its time, in letters that a cluster takes", () =>
        assert.equal(wordOf(new Date("2026-11-27T05:12:33.123Z")), "nfv-20261127-051233"));
});
