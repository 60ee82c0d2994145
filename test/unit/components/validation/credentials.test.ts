import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { certificateProblem } from "../../../../components/common/certificate-files";
import { sshKeyProblems, textProblems } from "../../../../components/validation/credential-rules";
import { newSshKeyPair } from "../../../../provider/openstack/host-key";
import { sampleCertificate, sampleKey } from "../sample-args";

const lines = (text: string) => text.trim().split("\n");
/** As a copy that was cut off: without some of its lines. */
const cut = (text: string) => [...lines(text).slice(0, 2), lines(text).at(-1)!].join("\n");
const open = newSshKeyPair("test").privateKey;
const pem = (passphrase?: string) =>
    generateKeyPairSync("ec", {
        namedCurve: "P-256",
        publicKeyEncoding: { type: "spki", format: "pem" },
        privateKeyEncoding: { type: "pkcs8", format: "pem", ...(passphrase && { cipher: "aes-256-cbc", passphrase }) },
    } as never) as unknown as { privateKey: string };

describe("credentials and certificates among the inputs are read at preview", () => {
    const rows: [string, string | undefined, RegExp | undefined][] = [
        ["an SSH key", ssh({ privateKey: open }), undefined],
        [
            "an SSH key that was cut off",
            ssh({ privateKey: cut(open) }),
            /^ssh\.privateKey: the private key cannot be read/,
        ],
        ["a jump host's", ssh({ jump: { privateKey: cut(open) } }), /^ssh\.jump\.privateKey: the private key cannot/],
        ["a public key", ssh({ privateKey: newSshKeyPair("a").publicKey }), /^ssh\.privateKey: is no private key/],
        ["a key with headers", ssh({ privateKey: sampleKey }), undefined],
        ["a host key", ssh({ hostKey: newSshKeyPair("a").publicKey }), undefined],
        ["a fingerprint", ssh({ hostKey: `SHA256:${"A".repeat(43)}` }), undefined],
        [
            "a host key that was cut off",
            ssh({ hostKey: newSshKeyPair("a").publicKey.slice(0, 40) }),
            /^ssh\.hostKey: cannot be read/,
        ],
        ["a TLS key", text("tlsKey", pem().privateKey), undefined],
        ["a TLS key that was cut off", text("tlsKey", cut(pem().privateKey)), /cannot be read/],
        ["a TLS key with a passphrase", text("tlsKey", pem("x").privateKey), /is protected by a passphrase/],
        ["a certificate", text("certificate", sampleCertificate), undefined],
        [
            "a certificate that was cut off",
            text("certificate", cut(sampleCertificate)),
            /the certificate cannot be read/,
        ],
        ["an authority", certificateProblem(sampleCertificate + sampleCertificate), undefined],
        [
            "the second of two",
            certificateProblem(sampleCertificate + cut(sampleCertificate)),
            /certificate 2 of 2 cannot/,
        ],
        ["one without its end", certificateProblem(lines(sampleCertificate).slice(0, 4).join("\n")), /cannot be read/],
    ];
    for (const [what, said, expected] of rows)
        it(`${what}: ${expected === undefined ? "taken" : "refused"}`, () => {
            if (expected === undefined) assert.equal(said, undefined);
            else assert.match(said ?? "", expected);
            assert.doesNotMatch(said ?? "", /BEGIN [A-Z ]*KEY/);
        });

    it("waits for a passphrase that is not known yet", () => {
        assert.deepEqual(sshKeyProblems("ssh", { privateKey: cut(open), passphrase: undefined } as never), []);
    });

    function ssh(given: object): string | undefined {
        return sshKeyProblems("ssh", given as never)[0]?.join(": ");
    }
    function text(form: "tlsKey" | "certificate", value: string): string | undefined {
        return textProblems("x", value, form)[0]?.join(": ");
    }
});
