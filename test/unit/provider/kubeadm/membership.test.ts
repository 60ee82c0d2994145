import assert from "node:assert/strict";
import fc from "fast-check";
import { NfvError } from "../../../../provider/common/errors";
import { type MachineStatus, parseMachineStatus } from "../../../../provider/kubeadm/machine-status";
import {
    decideMembership,
    foreignNode,
    hasLostItsNotes,
    type MembershipQuestion,
    mayBeLastMember,
    mayHoldEtcd,
} from "../../../../provider/kubeadm/membership";

const fresh: MachineStatus = {
    memberOf: "",
    initStarted: "",
    authorityChanged: false,
    apiReady: false,
    noted: "",
    traces: [],
    authorities: [],
    servers: [],
    nodeNames: [],
};
const traces = ["/etc/kubernetes/kubelet.conf", "/var/lib/etcd/member"];
const ourKey = "sha256:ours";
const half: MachineStatus = { ...fresh, traces, authorities: [[ourKey]] };
const living: MachineStatus = { ...half, memberOf: "core", apiReady: true };
const foreign: MachineStatus = { ...fresh, traces, authorities: [["sha256:theirs"]] };

function answerTo(changes: Partial<MembershipQuestion>): string | NfvError {
    try {
        return decideMembership({
            clusterId: "core",
            name: "m1",
            role: "controlPlane",
            caCertHash: ourKey,
            self: fresh,
            peers: [],
            ...changes,
        });
    } catch (error) {
        assert.ok(error instanceof NfvError);
        return error;
    }
}

function decide(changes: Partial<MembershipQuestion>): string {
    const answer = answerTo(changes);
    return typeof answer === "string" ? answer : answer.code;
}

const peers = (...facts: (MachineStatus | undefined)[]) => facts.map((one, i) => ({ name: `p${i}`, facts: one }));

describe("how a machine gets into its cluster", () => {
    const table: [promise: string, question: Partial<MembershipQuestion>, answer: string][] = [
        ["initialises a cluster that never was", { peers: peers(fresh, fresh) }, "init"],
        ["initialises as the only master", {}, "init"],
        ["joins whoever lives", { peers: peers(undefined, living) }, "join"],
        ["joins as the first master, too, when it was replaced", { name: "m1", peers: peers(living, fresh) }, "join"],
        ["stays the member that it is", { self: living, peers: peers(undefined) }, "join"],
        [
            "goes on with an init that stopped halfway",
            { self: { ...half, initStarted: "core" }, peers: peers(undefined) },
            "init",
        ],
        ["makes no second cluster where the only master has lost our notes", { self: half }, "QUORUM_AT_RISK"],
        [
            "nor where its notes say only that its host was prepared",
            { self: { ...half, noted: "core m1", apiReady: true } },
            "QUORUM_AT_RISK",
        ],
        [
            "initialises where only our keys were placed",
            { self: { ...fresh, noted: "core m1", traces: ["/etc/kubernetes/pki/ca.crt"], authorities: [[ourKey]] } },
            "init",
        ],
        [
            "makes no second cluster while masters cannot be reached",
            { peers: peers(fresh, undefined) },
            "NO_CONTROL_PLANE",
        ],
        [
            "makes no second cluster while a master is only not ready",
            { peers: peers({ ...living, apiReady: false }) },
            "NO_CONTROL_PLANE",
        ],
        [
            "makes no second cluster beside one whose notes a stopped leave has changed already",
            { peers: peers({ ...half, noted: "core p0", joinStarted: "core", apiReady: true }) },
            "NO_CONTROL_PLANE",
        ],
        ["makes no second cluster beside one whose notes are lost", { peers: peers(half) }, "NO_CONTROL_PLANE"],
        ["initialises beside a machine of another cluster", { peers: peers(foreign) }, "init"],
        [
            "makes no second cluster while another is initialising",
            { peers: peers({ ...fresh, initStarted: "core" }) },
            "NO_CONTROL_PLANE",
        ],
        ["waits as a worker for a master", { role: "worker", peers: peers(fresh) }, "NO_CONTROL_PLANE"],
        ["joins as a worker", { role: "worker", peers: peers(living) }, "join"],
        [
            "does not take a member of another cluster",
            { self: { ...living, memberOf: "other" }, peers: peers(living) },
            "FOREIGN_NODE",
        ],
        ["does not take a control plane of somebody else's", { self: foreign }, "FOREIGN_NODE"],
        ["does not take it while masters of ours live either", { self: foreign, peers: peers(living) }, "FOREIGN_NODE"],
        [
            "does not take somebody else's worker",
            { role: "worker", self: { ...foreign, traces: traces.slice(0, 1) }, peers: peers(living) },
            "FOREIGN_NODE",
        ],
        ["joins with a half-made master of ours", { self: half, peers: peers(living) }, "join"],
        [
            "does not join masters that joined another cluster",
            { peers: peers({ ...living, authorityChanged: true }) },
            "init",
        ],
        ["does not join masters of another cluster", { peers: peers({ ...living, memberOf: "other" }) }, "init"],
    ];
    for (const [promise, question, answer] of table) it(promise, () => assert.equal(decide(question), answer));

    const refusals: [promise: string, question: Partial<MembershipQuestion>, code: string, reason: RegExp][] = [
        [
            "names the masters that are not ready",
            { peers: peers({ ...living, apiReady: false }, fresh, half) },
            "NO_CONTROL_PLANE",
            /^the API servers of p0, p2 are not ready/,
        ],
        [
            "names the masters that a worker asked",
            { role: "worker", peers: peers(fresh, undefined) },
            "NO_CONTROL_PLANE",
            /^no control-plane node answers: p0, p1$/,
        ],
        [
            "says that a worker has none to ask",
            { role: "worker" },
            "NO_CONTROL_PLANE",
            /^no control-plane node answers: none given$/,
        ],
        [
            "names the masters that cannot be reached",
            { peers: [{ name: "p0", reason: "10.0.0.1:22 refused the connection" }, ...peers(fresh), { name: "p2" }] },
            "NO_CONTROL_PLANE",
            /^p0 \(10\.0\.0\.1:22 refused the connection\), p2 cannot be reached/,
        ],
        [
            "names what only a master has",
            { self: half },
            "QUORUM_AT_RISK",
            /is a master of this cluster already \(\/var\/lib\/etcd\/member\)/,
        ],
    ];
    for (const [promise, question, code, reason] of refusals) {
        it(`${promise} where it refuses`, () => {
            const error = answerTo(question) as NfvError;
            assert.deepEqual([error.code, error.node, error.step], [code, "m1", "membership"]);
            assert.match(error.reason, reason);
        });
    }

    it("says whose a foreign machine is, and what to do", () => {
        const error = answerTo({ self: { ...fresh, noted: "core m2" } }) as NfvError;
        assert.deepEqual([error.code, error.node], ["FOREIGN_NODE", "m1"]);
        assert.match(error.reason, /nothing on it was changed\nit is node m2 of this cluster/);
        assert.match(error.hint, /keep its name/);
        assert.match(foreignNode("m1", "why").hint, /move \/var\/lib\/pulumi-nfv away/);
    });

    it("never initialises beside a master that is or may be of the cluster", () => {
        const facts = fc.record({
            memberOf: fc.constantFrom("", "core", "other"),
            initStarted: fc.constantFrom("", "core"),
            authorityChanged: fc.constant(false),
            apiReady: fc.boolean(),
            noted: fc.constantFrom("", "core m1", "other m1"),
            traces: fc.constantFrom<string[]>([], traces),
            authorities: fc.constantFrom<string[][]>([], [[ourKey]], [["sha256:theirs"]]),
            servers: fc.constant<string[]>([]),
            nodeNames: fc.constant<string[]>([]),
        });
        fc.assert(
            fc.property(facts, fc.array(fc.option(facts, { nil: undefined })), (self, others) => {
                if (decide({ self, peers: peers(...others) }) !== "init") return;
                for (const other of others) {
                    assert.ok(other || self.initStarted === "core");
                    assert.notEqual(other?.memberOf, "core");
                }
            }),
        );
    });
});

describe("a machine whose notes are lost", () => {
    it("is one that kubelet joined and of which we have no note", () => {
        assert.equal(hasLostItsNotes(half), true);
        assert.equal(hasLostItsNotes({ ...half, joinStarted: "" }), true);
        assert.equal(hasLostItsNotes(fresh), false);
        assert.equal(hasLostItsNotes({ ...half, traces: ["/var/lib/etcd/member"] }), false);
    });

    for (const note of ["memberOf", "initStarted", "joinStarted"] as const) {
        it(`is none where ${note} is noted`, () => assert.equal(hasLostItsNotes({ ...half, [note]: "core" }), false));
    }
});

describe("a control-plane node that may have data of the cluster", () => {
    const about = (facts: Partial<MachineStatus>) => ({
        clusterId: "core",
        name: "m1",
        caCertHash: ourKey,
        facts: { ...fresh, ...facts },
    });
    const table: [what: string, facts: Partial<MachineStatus>, etcd: boolean, last: boolean][] = [
        ["a fresh machine", {}, false, false],
        ["a member", { memberOf: "core" }, true, true],
        ["an init that has not ended has made none", { initStarted: "core" }, true, false],
        ["an init that has not ended, though etcd has begun", { ...half, initStarted: "core" }, true, false],
        ["a member whose init is still noted", { memberOf: "core", initStarted: "core" }, true, true],
        ["one whose notes are lost", half, true, true],
        ["one of another cluster", foreign, false, false],
        ["a member that joined another authority later", { ...living, authorityChanged: true }, false, true],
        ["a worker of ours", { ...half, traces: traces.slice(0, 1) }, false, false],
    ];
    for (const [what, facts, etcd, last] of table) {
        it(what, () => assert.deepEqual([mayHoldEtcd(about(facts)), mayBeLastMember(about(facts))], [etcd, last]));
    }
});

describe("facts of a machine", () => {
    it("are read as they are printed", () => {
        const text =
            'memberOf=core\nisPrepared=yes\ninitStarted=\njoinStarted=core\napiReady=yes\nnoted=core m1\ntrace=/a=b\nserver=https://x:6443\nformer={"host":"a=b"}\nunderWay=node.reset\nsoftware=process dockerd\nsoftwareUnit=/etc/a\nbalancer=haproxy\n';
        const expected = {
            ...fresh,
            formers: ['{"host":"a=b"}'],
            underWay: ["node.reset"],
            joinStarted: "core",
            memberOf: "core",
            isPrepared: true,
            apiReady: true,
            noted: "core m1",
            traces: ["/a=b"],
            servers: ["https://x:6443"],
            software: { running: ["process dockerd"], packages: [], units: ["/etc/a"], balancers: ["haproxy"] },
        };
        assert.deepEqual(parseMachineStatus(text), expected);
    });

    it("of an empty answer are those of a fresh machine", () => {
        const software = { running: [], packages: [], units: [], balancers: [] };
        assert.deepEqual(parseMachineStatus(""), { ...fresh, joinStarted: "", formers: [], underWay: [], software });
    });
});

describe("a machine that would join a cluster without a leader", () => {
    it("is refused, and the error names the cure with the survivor", () => {
        const survivor = { ...living, apiReady: false, withoutLeader: true };
        const answer = answerTo({ peers: peers(undefined, survivor) });
        assert.ok(answer instanceof NfvError);
        assert.equal(answer.code, "NO_CONTROL_PLANE");
        assert.match(answer.hint, /^Of p1: its etcd has no leader.*NFV_FORCE_NEW_CLUSTER=core\/p1 /s);
    });
});
