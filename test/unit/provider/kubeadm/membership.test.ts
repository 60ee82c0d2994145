import assert from "node:assert/strict";
import fc from "fast-check";
import { NfvError } from "../../../../provider/errors";
import { type MachineFacts, parseFacts } from "../../../../provider/kubeadm/machine-facts";
import { decideMembership, type MembershipQuestion } from "../../../../provider/kubeadm/membership";

const fresh: MachineFacts = {
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
const half: MachineFacts = { ...fresh, traces, authorities: [[ourKey]] };
const living: MachineFacts = { ...half, memberOf: "core", apiReady: true };
const foreign: MachineFacts = { ...fresh, traces, authorities: [["sha256:theirs"]] };

function decide(changes: Partial<MembershipQuestion>): string {
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
        return error.code;
    }
}

const peers = (...facts: (MachineFacts | undefined)[]) => facts.map((one, i) => ({ name: `p${i}`, facts: one }));

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

describe("facts of a machine", () => {
    it("are read as they are printed", () => {
        const text =
            'memberOf=core\ninitStarted=\njoinStarted=core\napiReady=yes\nnoted=core m1\ntrace=/a=b\nserver=https://x:6443\nformer={"host":"a=b"}\nunderWay=node.reset\n';
        const expected = {
            ...fresh,
            formers: ['{"host":"a=b"}'],
            underWay: ["node.reset"],
            joinStarted: "core",
            memberOf: "core",
            apiReady: true,
            noted: "core m1",
            traces: ["/a=b"],
            servers: ["https://x:6443"],
        };
        assert.deepEqual(parseFacts(text), expected);
    });

    it("of an empty answer are those of a fresh machine", () =>
        assert.deepEqual(parseFacts(""), { ...fresh, joinStarted: "", formers: [], underWay: [] }));
});
