import assert from "node:assert/strict";
import { deadMembers, sickMembers } from "../../../../provider/resources/dead-members";

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
