import assert from "node:assert/strict";
import { type ServerKeysInputs, type ServerKeysState, serverKeys } from "../../../../provider/cloud/server-keys";
import { listener } from "../support/cluster";

describe("keys of servers", () => {
    const inputs = (login?: ServerKeysInputs["login"]): ServerKeysInputs => ({
        clusterName: "core",
        ...(login && { login }),
    });
    const made = async () => (await serverKeys.create({ clusterName: "core" }, listener())).outs;
    const update = async (olds: ServerKeysState, news: ServerKeysInputs) =>
        (await serverKeys.update("id", olds, news, listener())).outs;
    const changes = (olds: ServerKeysState, news: ServerKeysInputs) => serverKeys.diff("id", olds, news).changes;

    it("get another login key beside the first one, once; seed and mark stay", async () => {
        const olds = await made();
        assert.equal(changes(olds, inputs()), false, "a preview gives no numbers");
        assert.ok(changes(olds, inputs({ make: 1 })));
        const outs = await update(olds, inputs({ make: 1 }));
        assert.deepEqual([outs.seed, outs.publicKey, outs.privateKey], [olds.seed, olds.publicKey, olds.privateKey]);
        assert.match(outs.logins!["1"]!.privateKey, /OPENSSH PRIVATE KEY/);
        assert.deepEqual(outs.keyNumbers, [0, 1]);
        assert.equal(changes(outs, inputs({ make: 1, before: 0 })), false);
        assert.deepEqual((await update(outs, inputs({ make: 1 }))).logins, outs.logins);
        assert.equal(JSON.stringify(outs).includes('"login"'), false);
    });

    it("refuse a program without a word whose state cannot be read, if there was a rotation", () => {
        const check = (olds: Partial<ServerKeysInputs>, news: ServerKeysInputs) => serverKeys.check(olds, news);
        const unread = { ...inputs(), unread: "no answer" };
        const { failures } = check(inputs({ before: 1 }), unread);
        assert.equal(failures![0]!.reason, "no answer");
        assert.deepEqual(check(inputs(), unread), { inputs: inputs(), failures: [] });
        assert.deepEqual(check(inputs({ before: 1 }), inputs()).failures, []);
    });

    it("lose the private keys that have ended, and no others; the mark stays", async () => {
        const two = await update(await update(await made(), inputs({ make: 1 })), inputs({ make: 2 }));
        assert.ok(changes(two, inputs({ before: 2 })));
        const outs = await update(two, inputs({ before: 2 }));
        assert.equal(outs.privateKey, "");
        assert.deepEqual(outs.logins, { 2: two.logins!["2"] });
        assert.deepEqual(outs.keyNumbers, [2]);
        assert.equal(outs.publicKey, two.publicKey);
        assert.equal(changes(outs, inputs({ before: 2 })), false);
    });
});
