import assert from "node:assert/strict";
import { deadMembers, sickMembers, warnOfDeadMembers } from "../../../../provider/cluster/dead-members";
import { listener } from "../support/cluster";
import { all, threeMasters } from "../support/three-masters";

const member = (name: string, healthy: boolean, isLearner = false) => ({
    ...{ id: name, name, peerUrls: [], healthy, isLearner },
});

describe("dead members of etcd", () => {
    it("are voters that do not answer and that no master of the program is", () => {
        const members = [
            member("m1", true),
            member("m2", false),
            member("m3", false),
            member("", false),
            member("m9", true),
            member("l", false, true),
        ];
        assert.deepEqual(
            deadMembers(members, ["m1", "m3"]).map(({ name }) => name),
            ["m2", ""],
        );
    });
});

describe("a look at etcd's members at the end of a run", () => {
    const { fleet, identity, target, make } = threeMasters();
    const look = async () => {
        const context = listener();
        const peers = all.map(name => ({ name, connection: target(name) }));
        await warnOfDeadMembers(identity().clusterId, peers, context);
        return context.warned.join("\n");
    };

    it("says so where no master can be asked, and why, and does not fail the run", async () => {
        const why = /etcd's members could not be looked at.*m1: is a member of no cluster yet; m2: /;
        assert.match(await look(), why);
    });

    it("says so where the answer is of no use", async () => {
        for (const name of all) await make(name);
        for (const name of all) {
            fleet()
                .node(name)
                .onScript(({ stdin }) => (stdin.includes("member list") ? { code: 1, stderr: "no etcd" } : {}));
        }
        assert.match(await look(), /etcd's members could not be looked at.*exit code 1.*; no etcd$/);
    });
});

describe("masters of the program", () => {
    const masters = ["m1", "m2", "m3"];

    it("are found if etcd does not list them, or if their member does not answer", () => {
        assert.deepEqual(sickMembers([member("m1", true), member("m3", false)], masters), [
            { name: "m2", etcdMember: "missing" },
            { name: "m3", etcdMember: "silent" },
        ]);
    });

    it("are not found while one joins: a learner, or a member without a name", () => {
        assert.deepEqual(sickMembers([member("m1", true), member("m2", false, true), member("m3", true)], masters), []);
        assert.deepEqual(sickMembers([member("m1", true), member("", false)], masters), []);
    });
});
