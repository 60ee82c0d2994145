import assert from "node:assert/strict";
import { createHash, createPublicKey } from "node:crypto";
import { type ClusterKeysState, clusterKeys } from "../../../../provider/cluster/cluster-keys";
import { controlPlaneKeys } from "../../../../provider/identity";
import { placeApiServerFilesBy } from "../../../../provider/member/join/api-server-files";
import { placeKeysBy } from "../../../../provider/member/join/place-keys";
import { plan } from "../../../../provider/steps";
import { nodeSpec } from "../sample-specs";
import { listener } from "../support/cluster";

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
        keys: controlPlaneKeys({ certificates: certificates.current, keys }),
    };
    return plan([placeApiServerFilesBy("init")], given, fingerprintKey)[0]!.fingerprint;
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
        const first = outs.keys;
        const { outs: once } = await clusterKeys.update(id, outs, inputs("one"), listener());
        const { outs: twice } = await clusterKeys.update(id, once, inputs("two"), listener());
        const { encryptionKey, encryptionKeyName, firstEncryption, ...others } = twice.keys;
        assert.match(firstEncryption!, /^[0-9a-f]{12}$/);
        assert.deepEqual({ ...others, encryptionKey: first.encryptionKey }, first);
        assert.deepEqual(twice.certificates.current, outs.certificates.current);
        assert.equal(Buffer.from(encryptionKey, "base64").length, 32);
        for (const former of [first, once.keys]) {
            assert.notEqual(former.encryptionKeyName, encryptionKeyName);
            assert.ok(!JSON.stringify(twice).includes(former.encryptionKey));
        }
    });

    it("has a name of the length by which rewrite-secrets.sh knows it in etcd", async () => {
        const { id, outs } = await made();
        const { outs: rotated } = await clusterKeys.update(id, outs, inputs("one"), listener());
        const { encryptionKeyName } = rotated.keys;
        assert.match(encryptionKeyName!, /^key-[0-9a-f]{10}$/);
        assert.equal(`k8s:enc:secretbox:v1:${encryptionKeyName}:`.length % 3, 0);
        const given = controlPlaneKeys({ certificates: rotated.certificates.current, keys: rotated.keys });
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
        assert.equal(outs.keys.encryptionKeyName, undefined);
        assert.equal(clusterKeys.diff(id, outs, inputs("one")).changes, false);
    });
});

describe("the service-account key of a cluster's keys", () => {
    const asks = (rotate: { encryptionKey?: string; serviceAccountKey?: string }) => ({
        clusterId,
        ...{ rotate, fingerprintKey },
    });
    const keysStep = async ({ certificates, keys }: ClusterKeysState) => {
        const given = {
            ...(await nodeSpec({ role: "controlPlane" })),
            keys: controlPlaneKeys({ certificates: certificates.current, keys }),
        };
        return plan([placeKeysBy("init")], given, fingerprintKey)[0]!;
    };

    it("is another pair for each new word, with the name that its tokens have; the former private key is nowhere", async () => {
        const { id, outs } = await made();
        const { outs: once } = await clusterKeys.update(id, outs, asks({ serviceAccountKey: "one" }), listener());
        const { outs: twice } = await clusterKeys.update(id, once, asks({ serviceAccountKey: "two" }), listener());
        for (const former of [outs, once]) {
            const { serviceAccountKey } = former.keys;
            assert.ok(!JSON.stringify(twice).includes(JSON.stringify(serviceAccountKey).slice(1, -1)));
        }
        const { serviceAccountKey, serviceAccountKeyName } = twice.keys;
        const publicKey = createPublicKey(serviceAccountKey);
        assert.equal(
            publicKey.export({ type: "spki", format: "pem" }),
            twice.certificates.current.serviceAccountPublicKey,
        );
        const der = publicKey.export({ type: "spki", format: "der" });
        assert.equal(serviceAccountKeyName, createHash("sha256").update(der).digest("base64url"));
        assert.equal(twice.certificates.current.fingerprint, outs.certificates.current.fingerprint);
        assert.equal(twice.keys.encryptionKey, outs.keys.encryptionKey);
    });

    it("changes no step of a node: after a rotation each keeps the files that it has", async () => {
        const { id, outs } = await made();
        const { outs: once } = await clusterKeys.update(id, outs, asks({ serviceAccountKey: "one" }), listener());
        const { outs: twice } = await clusterKeys.update(id, once, asks({ serviceAccountKey: "two" }), listener());
        const [before, ...after] = await Promise.all([outs, once, twice].map(keysStep));
        for (const step of after) {
            assert.equal(step.fingerprint, before!.fingerprint);
            assert.ok(!step.files!.some(({ path }) => /\/sa\./.test(path)));
        }
    });

    it("is not exchanged by the word of another key, nor by its own word put back", async () => {
        const { id, outs } = await made();
        const both = { serviceAccountKey: "one", encryptionKey: "one" };
        const { outs: once } = await clusterKeys.update(id, outs, asks(both), listener());
        const { outs: twice } = await clusterKeys.update(id, once, asks({ encryptionKey: "two" }), listener());
        assert.equal(twice.keys.serviceAccountKey, once.keys.serviceAccountKey);
        assert.notEqual(twice.keys.encryptionKey, once.keys.encryptionKey);
        assert.equal(clusterKeys.diff(id, twice, asks({ ...both, encryptionKey: "two" })).changes, false);
    });
});

describe("the authorities of a cluster's keys", () => {
    const asks = (word?: string, ended?: string) => ({
        clusterId,
        fingerprintKey,
        ...(word !== undefined && { rotate: { authorities: word } }),
        ...(ended !== undefined && { endedAuthorities: ended }),
    });

    it("are not exchanged again before the nodes have them: their next ones would have a bridge that no node takes", async () => {
        const { id, outs } = await made();
        const { outs: once } = await clusterKeys.update(id, outs, asks("one"), listener());
        const { exchanged } = once.certificates.current;
        assert.equal(exchanged!.former, outs.certificates.current.caCertificate);
        for (const ended of [undefined, "others"])
            await assert.rejects(
                clusterKeys.update(id, once, asks("two", ended), listener()),
                /does not say that the nodes have those of "one"[\s\S]*Put "one" back/,
            );
        const { outs: twice } = await clusterKeys.update(id, once, asks("two", exchanged!.name), listener());
        assert.equal(twice.certificates.current.exchanged!.former, once.certificates.current.caCertificate);
    });

    it("forget the former one's certificate when it has ended and the word is gone, and not before", async () => {
        const { id, outs } = await made();
        const { outs: once } = await clusterKeys.update(id, outs, asks("one"), listener());
        const { name } = once.certificates.current.exchanged!;
        for (const given of [asks("one", name), asks(), asks(undefined, "others")])
            assert.equal(clusterKeys.diff(id, once, given).changes, false);
        assert.equal(clusterKeys.diff(id, once, asks(undefined, name)).changes, true);
        const { outs: gone } = await clusterKeys.update(id, once, asks(undefined, name), listener());
        assert.equal(gone.certificates.current.exchanged!.former, undefined);
        const { outs: next } = await clusterKeys.update(id, gone, asks("two"), listener());
        assert.notEqual(next.certificates.current.exchanged!.name, name);
    });
});
