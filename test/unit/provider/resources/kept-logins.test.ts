import assert from "node:assert/strict";
import { keptLogins, loginLike } from "../../../../provider/resources/kept-logins";

describe("the logins of the other masters in a machine's state", () => {
    const own = {
        host: "10.0.0.11",
        user: "ops",
        privateKey: "key",
        hostKey: "ssh-ed25519 A",
        jump: { host: "bastion" },
    };
    const others = [
        { name: "m2", connection: { ...own, host: "10.0.0.12", hostKey: "ssh-ed25519 B" } },
        { name: "m3", connection: { host: "10.0.0.13", user: "root", password: "secret", port: 2222 } },
    ];
    const kept = keptLogins([{ name: "m1", connection: own }, ...others], "m1", own);

    it("are what differs from its own one", () => {
        assert.deepEqual(kept[0], { name: "m2", connection: { host: "10.0.0.12", hostKey: "ssh-ed25519 B" } });
    });

    it("are whole again beside its own one, also after they were stored", () => {
        const stored = JSON.parse(JSON.stringify(kept)) as typeof kept;
        assert.deepEqual(
            stored.map(each => ({ name: each.name, connection: loginLike(own, each) })),
            others,
        );
    });
});
