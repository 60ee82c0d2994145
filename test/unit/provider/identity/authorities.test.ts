import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, createServer, type TLSSocket } from "node:tls";
import { type KeySet, newKeySet, newKubeletClient, trusted, withNewAuthorities } from "../../../../provider/identity";
import { createServerCertificate } from "../../../../provider/identity/certificates";
import { skipIf } from "../../../support/skip";

const seal = (text: string) => `sealed ${text.length}`;
const next = ({ certificates, keys }: KeySet) => withNewAuthorities({ certificates, keys }, { validDays: 3650, seal });
const certificatesIn = (pem: string) => pem.split(/(?<=-----END CERTIFICATE-----)\s*/).filter(Boolean);

describe("the next authorities of a cluster", () => {
    let first: KeySet;
    let second: KeySet;
    let folder: string;

    before(async () => {
        first = await newKeySet();
        second = await next(first);
        folder = mkdtempSync(join(tmpdir(), "nfv-authorities-"));
    });
    after(() => rmSync(folder, { recursive: true, force: true }));

    const file = (name: string, text: string) => {
        writeFileSync(join(folder, name), text);
        return join(folder, name);
    };
    const verifies = (authority: string, leaf: string, between?: string) => {
        const args = ["verify", "-CAfile", file("ca", authority)];
        if (between !== undefined) args.push("-untrusted", file("between", between));
        return spawnSync("openssl", [...args, file("leaf", leaf)]).status === 0;
    };
    const withoutOpenssl = () => spawnSync("openssl", ["version"]).status !== 0 && "openssl is missing";

    it("are others, with names of their own; all other keys stay, and the mark of the cluster too", () => {
        const changed = Object.entries(second.certificates).filter(
            ([name, value]) => first.certificates[name as "fingerprint"] !== value,
        );
        assert.deepEqual(changed.map(([name]) => name).sort(), [
            ...["adminCertificate", "caCertificate", "etcdCaCertificate", "exchanged", "frontProxyCaCertificate"],
        ]);
        const keys = Object.entries(second.keys).filter(([name, value]) => first.keys[name as "caKey"] !== value);
        assert.deepEqual(keys.map(([name]) => name).sort(), ["adminKey", "caKey", "etcdCaKey", "frontProxyCaKey"]);
        const [before, now] = [first, second].map(each => new X509Certificate(each.certificates.caCertificate).subject);
        assert.match(now!, /^CN=kubernetes-[0-9a-f]{8}$/);
        assert.notEqual(before, now);
    });

    it("leave no former private key, only its hash", async () => {
        const third = await next(second);
        for (const each of [second, third]) {
            const text = JSON.stringify(each);
            for (const key of [first.keys.caKey, first.keys.etcdCaKey, first.keys.frontProxyCaKey, first.keys.adminKey])
                assert.ok(!text.includes(JSON.stringify(key).slice(1, -1)));
            assert.equal(each.certificates.exchanged?.first.caCertificate, first.certificates.caCertificate);
            assert.equal(each.certificates.exchanged?.first.caKey, seal(first.keys.caKey));
        }
        assert.ok(!JSON.stringify(third).includes(JSON.stringify(second.keys.caKey).slice(1, -1)));
        assert.equal(third.certificates.exchanged?.former, second.certificates.caCertificate);
    });

    it("are taken by the bridge from who trusts the former ones, and not without it", async function () {
        skipIf(this, withoutOpenssl());
        const { bridges } = second.certificates.exchanged!;
        const ca = { certificate: second.certificates.caCertificate, key: second.keys.caKey };
        const leaf = await newKubeletClient(ca, "", "w1");
        assert.ok(verifies(second.certificates.caCertificate, leaf));
        assert.ok(verifies(first.certificates.caCertificate, leaf, bridges.ca));
        assert.ok(!verifies(first.certificates.caCertificate, leaf));
        assert.ok(!verifies(first.certificates.etcdCaCertificate, leaf, bridges.ca));
        assert.ok(verifies(first.certificates.etcdCaCertificate, bridges.etcdCa));
        assert.ok(verifies(first.certificates.frontProxyCaCertificate, bridges.frontProxyCa));
        const third = await next(second);
        const far = await newKubeletClient(
            { certificate: third.certificates.caCertificate, key: third.keys.caKey },
            "",
            "w1",
        );
        const both = third.certificates.exchanged!.bridges.ca + bridges.ca;
        assert.ok(verifies(first.certificates.caCertificate, far, both), "by the bridges of both rotations");
    });

    it("end the bridge with the former authority, if that ends before", async () => {
        const short = await newKeySet(10);
        const { certificates } = await next(short);
        const [bridge, former] = [certificates.exchanged!.bridges.ca, short.certificates.caCertificate].map(
            pem => new X509Certificate(pem).validTo,
        );
        assert.equal(bridge, former);
    });

    it("give kubelet a client certificate of its node, with the bridge and the key in one file", async function () {
        skipIf(this, withoutOpenssl());
        const { caCertificate, exchanged } = second.certificates;
        const made = await newKubeletClient(
            { certificate: caCertificate, key: second.keys.caKey },
            exchanged!.bridges.ca,
            "w1",
        );
        assert.equal(certificatesIn(made.split("-----BEGIN PRIVATE KEY-----")[0]!).length, 2);
        const subject = execFileSync("openssl", [
            "x509",
            "-noout",
            "-subject",
            "-in",
            file("kubelet", made),
        ]).toString();
        assert.match(subject, /O ?= ?system:nodes, CN ?= ?system:node:w1/);
    });

    it("let administrators in on both sides, in a handshake of TLS", async () => {
        const server = async ({ certificates, keys }: KeySet, chain = "") => {
            const made = await createServerCertificate(
                { certificate: certificates.caCertificate, key: keys.caKey },
                { commonName: "api", dnsNames: ["localhost"], validDays: 1 },
            );
            return { cert: made.certificate + chain, key: made.key, requestCert: true, rejectUnauthorized: true };
        };
        const { bridges } = second.certificates.exchanged!;
        const sides = {
            "before the exchange": { ...(await server(first)), ca: first.certificates.caCertificate },
            "certificates exchanged": { ...(await server(second, bridges.ca)), ca: first.certificates.caCertificate },
            "authorities exchanged": { ...(await server(second, bridges.ca)), ca: second.certificates.caCertificate },
        };
        const enters = (options: object, { certificates, keys }: KeySet, ca: string) =>
            new Promise<boolean>(resolve => {
                const listening = createServer(options, socket => socket.end("hello"));
                listening.on("tlsClientError", () => {});
                listening.listen(0, "127.0.0.1", () => {
                    const { port } = listening.address() as { port: number };
                    const login = { cert: certificates.adminCertificate, key: keys.adminKey };
                    const socket: TLSSocket = connect({ ...{ port, host: "localhost", ca }, ...login });
                    let said = "";
                    socket.on("data", data => (said += data));
                    socket.on("error", () => {});
                    socket.on("close", () => listening.close(() => resolve(said === "hello")));
                });
            });
        for (const [when, options] of Object.entries(sides)) {
            assert.ok(await enters(options, second, trusted(second.certificates, false)), `new kubeconfig, ${when}`);
            const isOver = when === "authorities exchanged";
            assert.equal(await enters(options, first, first.certificates.caCertificate), !isOver, `former, ${when}`);
        }
    });

    it("are trusted beside the former one until that has ended", () => {
        const { caCertificate } = first.certificates;
        assert.equal(trusted(first.certificates, false), caCertificate);
        assert.equal(trusted(second.certificates, false), second.certificates.caCertificate + caCertificate);
        assert.equal(trusted(second.certificates, true), second.certificates.caCertificate);
    });
});
