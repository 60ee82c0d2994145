import assert from "node:assert/strict";
import { clearTheKeyPair } from "../../../../../provider/cloud/orphans/orphan-keys";
import { listener } from "../../support/cluster";
import { orphanCloud, owner } from "../../support/orphan-cloud";

describe("the name of a key pair that is to be made", () => {
    const { cloud, calls, changed, refusal } = orphanCloud();
    const there = (...keys: string[]) => {
        cloud().routes["GET /compute/os-keypairs/core"] = (_call, times) => ({
            body: { keypair: { name: "core", public_key: keys[Math.min(times, keys.length) - 1] } },
        });
        cloud().routes["DELETE /compute/os-keypairs/core"] = () => ({ status: 202 });
    };
    const clear = (publicKey = "ssh-ed25519 AAAA core", context = listener(), changes: object = {}) =>
        clearTheKeyPair({ name: "core", publicKey }, { ...owner, ...changes }, context);

    it("is free where the user has none of it: this is one question", async () => {
        await clear();
        assert.deepEqual(
            calls().map(({ path }) => path),
            ["/compute/os-keypairs/core"],
        );
    });

    it("is free again of the pair with the key that only this state has, whatever its comment", async () => {
        there("ssh-ed25519 AAAA\n");
        const context = listener();
        await clear(undefined, context);
        assert.match(context.warned[0], /key pair "core" of this cluster exists already/);
        assert.deepEqual(changed(), ["DELETE /compute/os-keypairs/core"]);
    });

    it("stays with a pair of another key, or whose key the cloud does not say", async () => {
        for (const key of ["ssh-ed25519 BBBB core", "ssh-rsa AAAA core", ""]) {
            there(key);
            assert.match(await refusal(clear()), /key pair "core" exists already[\s\S]*openstack keypair delete core/);
        }
        there("");
        await refusal(clear(""));
    });

    it("is looked at again at the moment of the deletion", async () => {
        there("ssh-ed25519 AAAA", "ssh-ed25519 BBBB");
        await refusal(clear());
    });

    it("is not asked for in another project", async () => {
        there("ssh-ed25519 AAAA");
        await assert.rejects(clear(undefined, listener(), { project: "p2" }), /lives in the project p2/);
        assert.deepEqual(calls(), []);
    });
});
