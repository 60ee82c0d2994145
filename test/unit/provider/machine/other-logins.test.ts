import assert from "node:assert/strict";
import { clusterNetwork } from "../../../../provider/cluster/cluster-network";
import { unknownValue } from "../../../../provider/contract/values";
import { otherLogins } from "../../../../provider/machine/other-logins";
import type { SshTarget } from "../../../../provider/ssh";

const peer = (name: string, changes: Partial<SshTarget> = {}) => ({
    name,
    connection: { host: "10.0.0.1", user: "nfv", privateKey: "one", ...changes },
});
const jump = (privateKey: string) => ({ jump: { host: "10.0.0.9", privateKey } });

describe("another login", () => {
    const table: [title: string, after: Partial<SshTarget>, expected: boolean][] = [
        ["is another key", { privateKey: "two" }, true],
        ["is another user", { user: "ops" }, true],
        ["is another key of the jump host", jump("two"), true],
        ["is no other place and no host key", { host: "10.0.0.2", hostKey: "ssh-ed25519 AAAA" }, false],
        ["is none that is not known yet", { privateKey: unknownValue }, false],
    ];
    for (const [title, after, expected] of table) {
        it(title, () => {
            const before = after.jump ? { ...jump("one") } : {};
            assert.equal(otherLogins([peer("m1", before)], [peer("m1", after)]), expected);
        });
    }

    it("is another key that the machine may show, where both have one, also of the jump host", () => {
        const held = (hostKey: string | undefined) => [peer("m1", hostKey === undefined ? {} : { hostKey })];
        const behind = (hostKey: string) => [peer("m1", { jump: { host: "10.0.0.9", hostKey } })];
        assert.equal(otherLogins(held("a"), held("a\nb")), true);
        assert.equal(otherLogins(held("a"), held("a")), false);
        assert.equal(otherLogins(held("a"), held(undefined)), false);
        assert.equal(otherLogins(behind("a"), behind("b")), true);
    });

    it("is none where machines come and go", () => {
        assert.equal(otherLogins([peer("m1"), peer("m2")], [peer("m1"), peer("m3", { privateKey: "two" })]), false);
        assert.equal(otherLogins(undefined, [peer("m1")]), false);
    });

    it("is stored by what concerns the whole cluster, so that the next refresh gets in", () => {
        const inputs = {
            spec: { clusterId: "core-1" },
            steps: {},
            fingerprintKey: unknownValue,
            controlPlane: [peer("m1")],
        };
        const changes = (privateKey: string) => {
            const news = { ...inputs, controlPlane: [peer("m1", { privateKey })] };
            return clusterNetwork.diff("id", { ...inputs, done: {}, pending: [] } as never, news as never).changes;
        };
        assert.deepEqual([changes("one"), changes("two")], [false, true]);
    });
});
