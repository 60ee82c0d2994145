import { match, strictEqual } from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { check } from "../../../../provider";
import { credentialProblem } from "../../../../provider/ssh/credentials";

describe("credentials that no machine can accept", () => {
    const { privateKey } = generateKeyPairSync("rsa", {
        modulusLength: 2048,
        publicKeyEncoding: { type: "pkcs1", format: "pem" },
        privateKeyEncoding: { type: "pkcs1", format: "pem" },
    });
    const target = { host: "10.0.0.1", user: "ops" };

    it("are told before a machine is asked: a key that is cut, a jump host's too", () => {
        strictEqual(credentialProblem({ ...target, privateKey }), undefined);
        const cut = privateKey.split("\n").slice(0, 5).join("\n");
        match(credentialProblem({ ...target, privateKey: cut })!, /private key cannot be read\. Give the key's text/);
        const jump = { host: "10.0.0.2", privateKey: "/root/.ssh/id" };
        match(credentialProblem({ ...target, privateKey, jump })!, /10\.0\.0\.2.*cannot be read/);
    });

    it("say of an empty key that its variable is not set", () => {
        for (const privateKey of ["", "\n"])
            match(credentialProblem({ host: "a", privateKey })!, /the private key is empty\. .*SITE_KEY/);
    });

    it("say of a key in PKCS #8 form what rewrites it", () => {
        const pkcs8 = generateKeyPairSync("ed25519", {
            publicKeyEncoding: { type: "spki", format: "pem" },
            privateKeyEncoding: { type: "pkcs8", format: "pem" },
        });
        match(credentialProblem({ ...target, privateKey: pkcs8.privateKey })!, /PKCS #8 .*ssh-keygen -p -f FILE/);
    });

    it("are refused by the check of a Host, so by preview", async () => {
        const inputs = { spec: {}, connection: { ...target, privateKey: "/root/.ssh/id" } };
        const failures = (await check("Host", {}, inputs)).failures as { reason: string }[];
        match(failures.map(({ reason }) => reason).join("\n"), /connection: .*cannot be read/);
    });
});
