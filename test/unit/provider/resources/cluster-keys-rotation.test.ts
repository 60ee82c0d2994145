import assert from "node:assert/strict";
import { controlPlaneKeys } from "../../../../provider/identity";
import { placeApiServerFiles } from "../../../../provider/kubeadm/api-server-files";
import { type ClusterKeysState, clusterKeys } from "../../../../provider/resources/cluster-keys";
import { plan } from "../../../../provider/steps";
import { nodeSpec } from "../sample-specs";
import { listener } from "./cluster";

const clusterId = "core-1a2b3c4d";
const fingerprintKey = "fingerprints";
const inputs = (encryptionKey?: string) => ({
    clusterId,
    ...(encryptionKey && { rotate: { encryptionKey }, fingerprintKey }),
});
/** Fingerprint of the step that places the encryption settings. */
const stepOf = async ({ certificates, keys }: ClusterKeysState) => {
    const given = {
        ...(await nodeSpec({ role: "controlPlane" })),
        keys: controlPlaneKeys({ certificates: certificates.current, keys: keys.current }),
    };
    return plan([placeApiServerFiles], given, fingerprintKey)[0]!.fingerprint;
};
const made = (word?: string) => clusterKeys.create(inputs(word), listener());

describe("the encryption key of a cluster's keys", () => {
    it("is another one for each new word; the same word, or none, asks for nothing", async () => {
        const { id, outs } = await made();
        assert.equal(clusterKeys.diff(id, outs, inputs()).changes, false);
        assert.equal(clusterKeys.diff(id, outs, inputs("one")).changes, true);
        const { outs: rotated } = await clusterKeys.update(id, outs, inputs("one"), listener());
        for (const word of ["one", undefined])
            assert.equal(clusterKeys.diff(id, rotated, inputs(word)).changes, false, word);
        assert.equal(clusterKeys.diff(id, rotated, inputs("two")).changes, true);
    });

    it("has a name of its own then, and the former one is nowhere; all other keys stay", async () => {
        const { id, outs } = await made();
        const first = outs.keys.current;
        const { outs: once } = await clusterKeys.update(id, outs, inputs("one"), listener());
        const { outs: twice } = await clusterKeys.update(id, once, inputs("two"), listener());
        const { encryptionKey, encryptionKeyName, firstEncryption, ...others } = twice.keys.current;
        assert.match(firstEncryption!, /^[0-9a-f]{12}$/);
        assert.deepEqual({ ...others, encryptionKey: first.encryptionKey }, first);
        assert.deepEqual(twice.certificates.current, outs.certificates.current);
        assert.equal(Buffer.from(encryptionKey, "base64").length, 32);
        for (const former of [first, once.keys.current]) {
            assert.notEqual(former.encryptionKeyName, encryptionKeyName);
            assert.ok(!JSON.stringify(twice).includes(former.encryptionKey));
        }
    });

    it("has a name of the length by which rewrite-secrets.sh knows it in etcd", async () => {
        const { id, outs } = await made();
        const { outs: rotated } = await clusterKeys.update(id, outs, inputs("one"), listener());
        const { encryptionKeyName } = rotated.keys.current;
        assert.match(encryptionKeyName!, /^key-[0-9a-f]{10}$/);
        assert.equal(`k8s:enc:secretbox:v1:${encryptionKeyName}:`.length % 3, 0);
        const given = controlPlaneKeys({ certificates: rotated.certificates.current, keys: rotated.keys.current });
        assert.equal(given.encryptionKeyName, encryptionKeyName);
    });

    it("changes no step of a node, and is kept out of the rest of the state", async () => {
        const { id, outs } = await made();
        const { outs: once } = await clusterKeys.update(id, outs, inputs("one"), listener());
        const { outs: twice } = await clusterKeys.update(id, once, inputs("two"), listener());
        const before = await stepOf(outs);
        assert.deepEqual([await stepOf(once), await stepOf(twice)], [before, before]);
        assert.ok(!JSON.stringify(twice).includes(fingerprintKey));
    });

    it("is the first one, without a name, in a cluster that is made with a word", async () => {
        const { id, outs } = await made("one");
        assert.equal(outs.keys.current.encryptionKeyName, undefined);
        assert.equal(clusterKeys.diff(id, outs, inputs("one")).changes, false);
    });
});
