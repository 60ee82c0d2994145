import assert from "node:assert/strict";
import {
    fullNodes,
    parseReadiness,
    problemsOf,
    runtimeWarnings,
} from "../../../../../provider/member/upgrade/readiness";

const healthy = ["m1", "m2", "m3"].map(name => ({ name, healthy: true, isLearner: false }));
const at = (version: string) => ["m1", "m2", "m3", "w1"].map(name => `node ${name} v${version} True`);

interface Row {
    lines?: string[];
    etcd?: typeof healthy;
    to?: string;
    policy?: string;
    moving?: readonly string[];
    runtimeFromBundle?: boolean;
}

function problems({
    lines = [],
    etcd = healthy,
    to = "1.34.4",
    policy = "fail",
    moving = [],
    runtimeFromBundle,
}: Row): string[] {
    const text = ["cluster 1.34.3", ...at("1.34.3"), ...lines].join("\n");
    return problemsOf(parseReadiness(text, etcd), { to, policy, moving, runtimeFromBundle });
}

describe("a cluster before its nodes move to another version", () => {
    it("has nothing against it when it is well", () => {
        assert.deepEqual(problems({}), []);
        assert.deepEqual(problems({ to: "1.35.0" }), []);
    });

    const refused: [string, Row, RegExp][] = [
        ["a node is not Ready", { lines: ["node w2 v1.34.3 Unknown"] }, /^not Ready: w2/],
        [
            "a member of etcd is sick",
            { etcd: [...healthy.slice(1), { name: "m1", healthy: false, isLearner: false }] },
            /etcd.*: m1/,
        ],
        [
            "a member of etcd learns",
            { etcd: [...healthy.slice(1), { name: "m1", healthy: true, isLearner: true }] },
            /etcd.*: m1/,
        ],
        ["a budget can never let a pod go", { lines: ["budget web/upf 2 2"] }, /web\/upf/],
        ["a kubelet is too old", { lines: ["node w9 v1.31.0 True"], to: "1.35.0" }, /too old.*w9 1\.31\.0/],
        ["it would skip a minor", { to: "1.36.0" }, /minor by minor/],
        [
            "a removed API is asked for",
            { lines: ["deprecated 1.35 things.v1beta1.example"], to: "1.35.0" },
            /things\.v1beta1/,
        ],
        [
            "a container runtime is too old",
            { lines: ["node w9 v1.34.3 True containerd://1.5.18"] },
            /^w9: its containerd is 1.5.18/,
        ],
        ["all of it is later", { to: "1.34.2" }, /1\.34\.2 is earlier/],
    ];
    for (const [title, row, text] of refused) {
        it(`is refused where ${title}`, () => {
            const found = problems(row);
            assert.equal(found.length, 1, found.join("\n"));
            assert.match(found[0]!, text);
        });
    }

    it("names the nodes whose containerd works with no later minor; of other runtimes it says nothing", () => {
        const runtimes = [
            "containerd://1.7.24",
            "containerd://v1.7.24~ds1",
            "containerd://2.4.2",
            "cri-o://1.37.0",
            "",
        ];
        const found = parseReadiness(runtimes.map((each, i) => `node w${i} v1.36.3 True ${each}`).join("\n"), healthy);
        assert.deepEqual(runtimeWarnings(found, "1.36.4"), []);
        const [warning, ...more] = runtimeWarnings(found, "1.37.2");
        assert.match(warning!, /^w0, w1: containerd 1.7.24: Kubernetes 1.37 is the last minor that works with 1.x/);
        assert.deepEqual(more, []);
    });

    it("names the nodes on which kubelet would delete images; a kubelet that did not answer proves nothing", () => {
        const lines = ["disk w1 80 500 60 500", "disk w2", "disk w3 90 500 400 1000", "disk w4 60 500 75 500"];
        const found = parseReadiness(lines.join("\n"), healthy);
        assert.deepEqual(fullNodes(found), ["w1 (12 % free)"]);
        assert.deepEqual(fullNodes(parseReadiness("disk w3 40 500 400 1000", healthy)), ["w3 (8 % free)"]);
        assert.deepEqual(fullNodes(parseReadiness("", healthy)), []);
    });

    it("minds no budget that has a pod to spare, has no pods, or whose pods are deleted in the end", () => {
        assert.deepEqual(problems({ lines: ["budget a/b 2 1", "budget c/d 0 0"] }), []);
        assert.deepEqual(problems({ lines: ["budget a/b 2 2"], policy: "delete" }), []);
    });

    it("minds no containerd where another one comes from the bundle", () => {
        const lines = ["node w9 v1.34.3 True containerd://1.5.18"];
        assert.deepEqual(problems({ lines, runtimeFromBundle: true }), []);
    });

    it("minds no API that goes in a later minor", () => {
        assert.deepEqual(problems({ lines: ["deprecated 1.36 things.v1beta1.example"], to: "1.35.0" }), []);
    });

    it("may go back while a node is still at the earlier version, and only within the minor", () => {
        const lines = (version: string) => [`node m0 v${version} True`];
        assert.deepEqual(problems({ lines: lines("1.34.2"), to: "1.34.2" }), []);
        assert.match(problems({ lines: lines("1.33.9"), to: "1.33.9" }).join(), /is earlier/);
    });

    it("does not mind what is wrong with the node itself, nor a node that fails with a move that has begun", () => {
        const sick = [...healthy.slice(1), { name: "m1", healthy: false, isLearner: false }];
        assert.deepEqual(problems({ etcd: sick, moving: ["m1"] }), []);
        assert.deepEqual(problems({ lines: ["node w2 v1.34.4 False"] }), []);
    });
});
