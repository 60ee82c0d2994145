import assert from "node:assert/strict";
import fc from "fast-check";
import { NfvError } from "../../../../provider/errors";
import {
    decideMembership,
    type MachineFacts,
    type MembershipQuestion,
    parseFacts,
} from "../../../../provider/kubeadm/membership";

const fresh: MachineFacts = {
    memberOf: "",
    initStarted: "",
    hasKubelet: false,
    caSum: "",
    apiReady: false,
    hasEtcd: false,
};
const living: MachineFacts = { ...fresh, memberOf: "core", hasKubelet: true, apiReady: true, hasEtcd: true };

function decide(changes: Partial<MembershipQuestion>): string {
    try {
        return decideMembership({
            clusterId: "core",
            name: "m1",
            role: "controlPlane",
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
            { self: { ...fresh, initStarted: "core", hasKubelet: true, hasEtcd: true }, peers: peers(undefined) },
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
        [
            "does not take a control plane of somebody else's",
            { self: { ...fresh, hasKubelet: true, hasEtcd: true } },
            "FOREIGN_NODE",
        ],
        ["does not join masters of another cluster", { peers: peers({ ...living, memberOf: "other" }) }, "init"],
    ];
    for (const [promise, question, answer] of table) it(promise, () => assert.equal(decide(question), answer));

    it("never initialises beside a master that is or may be of the cluster", () => {
        const facts = fc.record({
            memberOf: fc.constantFrom("", "core", "other"),
            initStarted: fc.constantFrom("", "core"),
            hasKubelet: fc.boolean(),
            caSum: fc.constant(""),
            apiReady: fc.boolean(),
            hasEtcd: fc.boolean(),
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
        const text = "memberOf=core\ninitStarted=\nhasKubelet=yes\ncaSum=ab\napiReady=no\nhasEtcd=yes\n";
        const expected = {
            memberOf: "core",
            initStarted: "",
            hasKubelet: true,
            caSum: "ab",
            apiReady: false,
            hasEtcd: true,
        };
        assert.deepEqual(parseFacts(text), expected);
    });

    it("of an empty answer are those of a fresh machine", () => assert.deepEqual(parseFacts(""), fresh));
});
