import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { KubernetesCluster, Vim } from "../../../../components";
import { certificateText } from "../../../../components/common/certificate-files";
import { problems } from "../../../../components/validation/validate";
import { unpack as unpacked } from "../../../../provider/contract/packed";
import { record, registered } from "../recorder";
import { clusterArgs, sampleCertificate } from "../sample-args";

const pem = sampleCertificate;
const known = <T>(input: pulumi.Input<T>) => new Promise(resolve => pulumi.output(input).apply(resolve));

describe("the certificate of an authority", () => {
    let folder: string;
    let file: string;
    before(() => {
        folder = mkdtempSync(path.join(os.tmpdir(), "nfv-ca-"));
        file = path.join(folder, "site-ca.pem");
        writeFileSync(file, pem);
        writeFileSync(path.join(folder, "key.pem"), "-----BEGIN PRIVATE KEY-----\ncanary\n-----END PRIVATE KEY-----\n");
    });
    after(() => rmSync(folder, { recursive: true }));

    const everywhere = (certificate: pulumi.Input<string>) => ({
        ...clusterArgs(1, { workers: 1 }),
        trustedCertificates: [certificate],
        registries: { "*": { endpoints: ["https://mirror.site"], ca: certificate } },
    });

    it("is PEM text or the path of a file: both reach the nodes as text", async () => {
        const specs = [];
        for (const certificate of [pem, file, pulumi.output(file)]) {
            const { resources } = await record("up", () => new KubernetesCluster("core", everywhere(certificate)));
            const { spec } = unpacked(registered(resources, "Host core-m1").inputs, []) as { spec: any };
            specs.push([spec.trustedCertificates, spec.registries[0].ca]);
        }
        deepStrictEqual(specs, Array(3).fill([[pem], pem]));
    });

    it("may be a path for a Vim and its OpenID Connect provider", async () => {
        const oidc = { clientId: "c", username: "u", password: "p", issuerUrl: "https://i", caCertificate: file };
        const args = { endpoint: "https://10.0.0.1:6443", caCertificate: file, auth: { oidc } };
        const { resources, result } = await record("up", () => new Vim("site", args));
        // The component and its access have the same name.
        const access = resources.find(({ type }) => type.includes("dynamic"))!;
        const seen = unpacked(access.inputs, []) as any;
        strictEqual(seen.caCertificate, pem);
        strictEqual(seen.auth.oidc.caCertificate, pem);
        strictEqual(await known(result.caCertificate), pem);
    });

    it("is refused before anything is made if it is neither, with the place and where paths start from", () => {
        const said = problems("KubernetesCluster", everywhere("ca/site.pem"));
        strictEqual(said.length, 2);
        match(
            said[0]!,
            /^trustedCertificates\.0: is neither a PEM certificate nor a file .*ca\/site\.pem: there is no such file/,
        );
        ok(said[0]!.endsWith(`relative paths start from ${process.cwd()}`), said[0]);
        match(said[1]!, /^registries\.\*\.ca: /);
        const vim = {
            endpoint: "https://10.0.0.1:6443",
            caCertificate: path.join(folder, "key.pem"),
            auth: { bearerToken: "t" },
        };
        match(problems("Vim", vim).join(), /^caCertificate: the file .*key\.pem has no PEM certificate$/);
        match(problems("Vim", { ...vim, caCertificate: "MIIB\nMIIB" }).join(), /^caCertificate: is no PEM certificate/);
    });

    it("never shows what the wrong file has in it", () => {
        const said = problems("KubernetesCluster", everywhere(path.join(folder, "key.pem"))).join();
        ok(!said.includes("canary"), said);
    });

    it("is refused when it is known, if it arrives later", async () => {
        const later = certificateText(pulumi.output("/nonexistent"), "trustedCertificates.0") as pulumi.Output<string>;
        await rejects((later as any).promise(), /trustedCertificates\.0: is neither a PEM certificate nor a file/);
    });
});
