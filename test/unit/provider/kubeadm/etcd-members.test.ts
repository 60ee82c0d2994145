import assert from "node:assert/strict";
import fc from "fast-check";
import { NfvError } from "../../../../provider/common/errors";
import {
    type EtcdMember,
    hasMember,
    memberElsewhere,
    memberToRemove,
    parseMembers,
    quorumOf,
} from "../../../../provider/kubeadm/etcd-members";

const member = (name: string, healthy = true, more: Partial<EtcdMember> = {}): EtcdMember => ({
    id: name,
    name,
    peerUrls: [`https://${name}:2380`],
    isLearner: false,
    healthy,
    ...more,
});

describe("leaving the etcd cluster", () => {
    it("removes the member whose name is equal, not similar", () => {
        const members = [member("master5"), member("master59"), member("master590")];
        assert.equal(memberToRemove(members, { name: "master59", address: "x" })?.id, "master59");
        assert.equal(memberToRemove(members.slice(1), { name: "master5", address: "x" }), undefined);
    });

    it("finds a member that never started by its peer address, whole", () => {
        const unstarted = member("", false, { id: "new", peerUrls: ["https://10.0.0.1:2380"] });
        const members = [member("a"), member("b"), member("c"), unstarted];
        assert.equal(memberToRemove(members, { name: "m1", address: "10.0.0.1" })?.id, "new");
        assert.equal(memberToRemove(members, { name: "m1", address: "10.0.0.11" }), undefined);
    });

    it("takes a dead one of three away", () => {
        assert.equal(
            memberToRemove([member("a", false), member("b"), member("c")], { name: "a", address: "" })?.id,
            "a",
        );
    });

    it("refuses when the survivors would have no quorum, and shows the arithmetic", () => {
        const members = [member("a"), member("b"), member("c", false)];
        assert.throws(
            () => memberToRemove(members, { name: "a", address: "" }),
            (error: NfvError) =>
                error.code === "QUORUM_AT_RISK" && /1 of 2 would be healthy.*need 2/.test(error.message),
        );
    });

    it("refuses where the members of now have no quorum: etcd could not agree on the removal", () => {
        const members = [member("a", false), member("b")];
        assert.throws(
            () => memberToRemove(members, { name: "a", address: "" }),
            (error: NfvError) => /2 voters, 1 of them healthy \(it needs 2\)/.test(error.message),
        );
    });

    it("lets one of two go", () => {
        assert.equal(memberToRemove([member("a"), member("b")], { name: "a", address: "" })?.id, "a");
    });

    it("does not count learners as voters", () => {
        const members = [member("a"), member("b"), member("c", false, { isLearner: true })];
        assert.equal(memberToRemove(members, { name: "a", address: "" })?.id, "a");
    });

    it("refuses to remove the last voter", () => {
        assert.throws(() => memberToRemove([member("a")], { name: "a", address: "" }), NfvError);
    });

    it("lets a learner go whatever the others do", () => {
        const members = [member("a", false), member("b", false, { isLearner: true })];
        assert.equal(memberToRemove(members, { name: "b", address: "" })?.id, "b");
    });

    it("never costs the quorum, after any sequence of deaths, joins and leaves", () => {
        const event = fc.record({
            kind: fc.constantFrom("die", "revive", "join", "leave" as const),
            which: fc.nat(6),
        });
        fc.assert(
            fc.property(fc.array(event, { maxLength: 40 }), events => {
                let members = [member("n0")];
                for (const { kind, which } of events) {
                    const name = `n${which}`;
                    if (kind === "die")
                        members = members.map(one => (one.name === name ? { ...one, healthy: false } : one));
                    if (kind === "revive") members = members.map(one => ({ ...one, healthy: true }));
                    if (kind === "join" && !members.some(one => one.name === name))
                        members = [...members, member(name)];
                    if (kind !== "leave") continue;
                    try {
                        const leaving = memberToRemove(members, { name, address: "" });
                        if (leaving === undefined) continue;
                        members = members.filter(one => one !== leaving);
                        assert.ok(members.filter(one => one.healthy).length >= quorumOf(members.length));
                    } catch (error) {
                        assert.ok(error instanceof NfvError, String(error));
                    }
                }
            }),
        );
    });
});

describe("a control-plane node", () => {
    const members = [
        member("master59"),
        member("master7"),
        member("", false, { peerUrls: ["https://[fd00::1]:2380", "https://10.0.0.1:2380"] }),
    ];

    it("is a member by its whole name", () => {
        assert.equal(hasMember(members, { name: "master59", address: "x" }), true);
        assert.equal(hasMember(members, { name: "master5", address: "x" }), false);
    });

    it("is a member by its peer address, of IPv6 too", () => {
        assert.equal(hasMember(members, { name: "m1", address: "10.0.0.1" }), true);
        assert.equal(hasMember(members, { name: "m1", address: "fd00::1" }), true);
        assert.equal(hasMember(members, { name: "m1", address: "10.0.0.11" }), false);
    });
});

describe("a member with a node's name", () => {
    const at = (...peerUrls: string[]) => [member("m1"), member("m2", true, { peerUrls })];

    it("is another machine where all its addresses are other ones", () => {
        const urls = ["https://10.0.0.5:2380"];
        assert.deepEqual(memberElsewhere(at(...urls), { name: "m2", address: "10.0.0.2" }), ["10.0.0.5"]);
        const six = at("https://[fd00::5]:2380");
        assert.deepEqual(memberElsewhere(six, { name: "m2", address: "fd00:0::2" }), ["fd00::5"]);
    });

    it("is that machine, or may be, in all other cases", () => {
        for (const [members, address] of [
            [at("https://10.0.0.2:2380", "https://10.0.0.5:2380"), "10.0.0.2"],
            [at("https://[fd00::1]:2380"), "10.0.0.2"],
            [at("https://[fd00:0::1]:2380"), "fd00::1"],
            [at(), "10.0.0.2"],
            [[...at("https://10.0.0.5:2380"), ...at("https://10.0.0.2:2380")], "10.0.0.2"],
            [at("https://10.0.0.5:2380"), "0.0.0.0"],
            [[member("m1")], "10.0.0.2"],
        ] as const)
            assert.equal(memberElsewhere(members, { name: "m2", address }), undefined, address);
    });
});

describe("etcd's answers", () => {
    it("an answer that is cut off says so in an error with a code", () => {
        for (const [list, health] of [
            ['{"members":[{"ID":1', "[]"],
            ['{"members":[]}', '[{"endp'],
        ] as const)
            assert.throws(() => parseMembers(list, health), { code: "NO_CONTROL_PLANE" });
    });

    it("are read with ids that JavaScript's numbers cannot hold", () => {
        const list =
            '{"members":[{"ID":10276657743932975437,"name":"m1","peerURLs":["https://a:2380"],"clientURLs":["https://a:2379"]},{"ID":5,"peerURLs":["https://b:2380"],"clientURLs":["https://b:2379","https://c:2379"],"isLearner":true}]}';
        const health = '[{"endpoint":"https://a:2379","health":true},{"endpoint":"https://b:2379","health":false}]';
        assert.deepEqual(parseMembers(list, health), [
            { id: "8e9e05c52164694d", name: "m1", peerUrls: ["https://a:2380"], isLearner: false, healthy: true },
            { id: "5", name: "", peerUrls: ["https://b:2380"], isLearner: true, healthy: false },
        ]);
        const [, second] = parseMembers(list, '[{"endpoint":"https://c:2379","health":true}]');
        assert.equal(second!.healthy, true, "one of its addresses answers");
    });
});
