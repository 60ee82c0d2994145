import assert from "node:assert/strict";
import { keptLogins, loginLike } from "../../../../provider/resources/kept-logins";

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

    it("never has a secret, because the state shows it in the open", () => {
        const jump = { host: "10.9.9.9", password: "secret-jump" };
        const theirs = { host: "10.0.0.2", privateKey: "secret-a", passphrase: "secret-b", password: "secret-c", jump };
        const kept = keptLogins([{ name: "m2", connection: theirs }], "m1", own);
        assert.doesNotMatch(JSON.stringify(kept), /secret/);
        assert.equal(loginLike(own, kept[0]!).privateKey, "secret-own");
    });
});
