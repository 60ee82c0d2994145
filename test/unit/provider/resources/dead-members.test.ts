import assert from "node:assert/strict";
import { deadMembers } from "../../../../provider/resources/dead-members";

describe("dead members of etcd", () => {
    const member = (name: string, healthy: boolean, isLearner = false) => ({
        ...{ id: name, name, peerUrls: [], healthy, isLearner },
    });

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
