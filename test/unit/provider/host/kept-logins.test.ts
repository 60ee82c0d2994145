import assert from "node:assert/strict";
import { keptLogins, loginLike } from "../../../../provider/host/kept-logins";
import { packState } from "../../../../provider/machine/stored-machine";

describe("how other masters are reached, beside the login of one", () => {
    const own = { host: "10.0.0.1", hostKey: "a", user: "nfv", privateKey: "secret-own", port: 2222 };

    it("is what differs, and the whole login again", () => {
        const theirs = { host: "10.0.0.2", hostKey: "b", user: "nfv", privateKey: "secret-own" };
        const peers = [
            { name: "m1", connection: own },
            { name: "m2", connection: theirs },
        ];
        const [kept, ...others] = keptLogins(peers, "m1", own);
        assert.deepEqual(others, []);
        assert.deepEqual(kept, { name: "m2", connection: { host: "10.0.0.2", hostKey: "b", port: null } });
        assert.deepEqual(loginLike(own, kept!), theirs);
    });

    it("may have secrets, which the state hides with the others", () => {
        const theirs = { host: "10.0.0.2", privateKey: "secret-a", jump: { host: "10.9.9.9", password: "secret-b" } };
        const controlPlane = keptLogins([{ name: "m2", connection: theirs }], "m1", own);
        assert.deepEqual(loginLike(own, controlPlane[0]!), theirs);
        const { secrets, ...open } = packState({ spec: {}, connection: own, controlPlane }, {});
        assert.match(String(secrets), /secret-a[\s\S]*secret-b|secret-b[\s\S]*secret-a/);
        assert.doesNotMatch(JSON.stringify(open), /secret/);
    });
});
