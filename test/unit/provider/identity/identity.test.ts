import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import {
    caCertHash,
    clusterNameProblem,
    controlPlaneKeys,
    newClusterId,
    newKeySet,
} from "../../../../provider/identity";
import { skipIf } from "../../../support/skip";
import { createIdentity, type Identity } from "./made-identity";

const day = 86_400_000;

describe("a cluster's identity", () => {
    let identity: Identity;
    before(async () => {
        identity = await createIdentity({ clusterName: "core" });
    });

    it("has three different authorities on P-256 that are valid for ten years", () => {
        const authorities = [identity.caCertificate, identity.etcdCaCertificate, identity.frontProxyCaCertificate];
        const parsed = authorities.map(pem => new X509Certificate(pem));
        assert.equal(new Set(parsed.map(c => c.fingerprint256)).size, 3);
        for (const certificate of parsed) {
            assert.ok(certificate.ca);
            assert.equal(certificate.publicKey.asymmetricKeyDetails?.namedCurve, "prime256v1");
            assert.ok(certificate.verify(certificate.publicKey));
            const days = (Date.parse(certificate.validTo) - Date.now()) / day;
            assert.ok(days > 3649 && days < 3651, `${days} days`);
        }
    });

    it("keeps each authority's own key beside it", () => {
        const pairs = [
            [identity.caCertificate, identity.caKey],
            [identity.etcdCaCertificate, identity.etcdCaKey],
            [identity.frontProxyCaCertificate, identity.frontProxyCaKey],
            [identity.adminCertificate, identity.adminKey],
        ];
        for (const [certificate, key] of pairs) {
            assert.ok(new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)));
        }
    });

    it("has an administrator whom kubeadm init binds to cluster-admin, signed by the cluster's authority only", () => {
        const admin = new X509Certificate(identity.adminCertificate);
        assert.deepEqual(admin.subject.split("\n"), ["O=kubeadm:cluster-admins", "CN=kubernetes-admin"]);
        assert.ok(admin.verify(new X509Certificate(identity.caCertificate).publicKey));
        assert.ok(!admin.verify(new X509Certificate(identity.etcdCaCertificate).publicKey));
        assert.ok(!admin.ca);
        assert.deepEqual(admin.keyUsage, ["1.3.6.1.5.5.7.3.2"]);
    });

    it("is accepted by openssl as a client of the cluster", function () {
        skipIf(this, spawnSync("openssl", ["version"]).status !== 0 && "there is no openssl here");
        const folder = mkdtempSync(join(tmpdir(), "nfv-identity-"));
        try {
            const [ca, admin] = [join(folder, "ca.pem"), join(folder, "admin.pem")];
            writeFileSync(ca, identity.caCertificate);
            writeFileSync(admin, identity.adminCertificate);
            const said = execFileSync("openssl", [
                "verify",
                "-x509_strict",
                "-purpose",
                "sslclient",
                "-CAfile",
                ca,
                admin,
            ]);
            assert.match(said.toString(), /OK/);
        } finally {
            rmSync(folder, { recursive: true });
        }
    });

    it("has a service-account key pair of RSA 2048 whose halves belong together", () => {
        const key = createPrivateKey(identity.serviceAccountKey);
        assert.equal(key.asymmetricKeyDetails?.modulusLength, 2048);
        const publicKey = createPublicKey(key).export({ type: "spki", format: "pem" });
        assert.equal(identity.serviceAccountPublicKey, publicKey);
    });

    it("has an encryption key of 32 bytes and a fingerprint key", () => {
        assert.equal(Buffer.from(identity.encryptionKey, "base64").length, 32);
        assert.ok(Buffer.from(identity.fingerprintKey, "base64").length >= 32);
    });

    it("differs from any other of the same name", async () => {
        const other = await createIdentity({ clusterName: "core", validDays: 2 });
        assert.notEqual(other.clusterId, identity.clusterId);
        assert.notEqual(other.fingerprint, identity.fingerprint);
        assert.notEqual(other.caKey, identity.caKey);
        assert.ok(Date.parse(new X509Certificate(other.caCertificate).validTo) - Date.now() < 2 * day + 1000);
    });

    it("has all secrets in one half, and no administrator's key in the masters' part", async () => {
        const set = await newKeySet();
        assert.doesNotMatch(JSON.stringify(set.certificates), /PRIVATE KEY/);
        assert.ok(!JSON.stringify(set.certificates).includes(set.keys.encryptionKey));
        const keys = controlPlaneKeys(set) as unknown as Record<string, unknown>;
        assert.deepEqual(
            Object.keys({ ...set.certificates, ...set.keys }).filter(name => keys[name] === undefined),
            ["adminCertificate", "fingerprint", "adminKey"],
        );
        assert.equal(keys.caKey, set.keys.caKey);
    });

    it("gives the hash of the authority's public key as kubeadm's documentation computes it", function () {
        const script =
            "openssl x509 -pubkey | openssl pkey -pubin -outform der 2>/dev/null | openssl dgst -sha256 -hex | sed 's/^.* //'";
        const result = spawnSync("sh", ["-c", script], { input: identity.caCertificate });
        skipIf(this, result.status !== 0 && "there is no openssl here");
        assert.equal(caCertHash(identity.caCertificate), "sha256:" + result.stdout.toString().trim());
    });
});

describe("a cluster's name", () => {
    it("leads to a cluster id that is a DNS label, or is refused", () => {
        fc.assert(
            fc.property(
                fc.string({ maxLength: 60, unit: fc.constantFrom("a", "z", "0", "-", "A", "_", ".", "é") }),
                name => {
                    const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
                    const id = `${name}-0123abcd`;
                    assert.ok(clusterNameProblem(name) !== undefined || (label.test(id) && id.length <= 63), name);
                },
            ),
        );
    });

    it("may be plain and as long as 50 characters", () => {
        assert.equal(clusterNameProblem("core"), undefined);
        assert.equal(clusterNameProblem("a".repeat(50)), undefined);
        assert.notEqual(clusterNameProblem("a".repeat(51)), undefined);
    });

    it("is refused before anything is made", () => {
        assert.throws(() => newClusterId("Not_a_label"), { code: "INVALID_INPUT" });
    });
});
