import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endedCertificate } from "../../../../components/common/certificate-files";
import { readFiles } from "../../../../components/kubernetes-cluster/operator-files";
import { problems } from "../../../../components/validation/validate";
import { clusterArgs, sampleCertificate } from "../sample-args";

const ofCluster = (more: object) => problems("KubernetesCluster", { ...clusterArgs(1), ...more });
const vim = (endpoint: string) => problems("Vim", { endpoint, sslCaCert: "none", auth: { bearerToken: "t" } });
const policy = (text: string) => ({ controlPlane: { audit: { policy: text } } });
const head = "apiVersion: audit.k8s.io/v1\nkind: Policy\n";

/** A cluster's inputs → what is said. */
const rows: [more: object, problem: RegExp][] = [
    [
        { controlPlane: { certificateSans: ["10.0.0.300"] } },
        /certificateSans\.0: must be a DNS name or an IP address alone/,
    ],
    [{ proxy: { httpProxy: "http://proxy:99999" } }, /proxy\.httpProxy: must be a URL/],
    [policy("rules: ["), /audit\.policy: cannot be read as YAML/],
    [policy("kind: Policy"), /audit\.policy: is no policy: it begins with apiVersion: audit\.k8s\.io\/v1/],
    [policy(head), /audit\.policy: has no list of rules/],
    [
        policy(`${head}rules:\n- level: Metadata\n- levl: None\n`),
        /audit\.policy: rules\.1\.level: must be one of None, Metadata/,
    ],
    [{ controlPlane: { patches: { "etcd+merge": "spec: [" } } }, /patches\.etcd\+merge: cannot be read as YAML/],
];

describe("values that only a later program would refuse", () => {
    for (const [more, problem] of rows)
        it(`are refused: ${JSON.stringify(more)}`, () => {
            const found = ofCluster(more);
            assert.equal(found.length, 1, found.join("\n"));
            assert.match(found[0]!, problem);
        });

    it("are taken where they are right", () => {
        const right = policy(`${head}omitStages: [RequestReceived]\nrules:\n- level: Metadata\n`);
        assert.deepEqual(ofCluster(right), []);
        assert.deepEqual(ofCluster({ controlPlane: { certificateSans: ["10.0.0.30", "*.site", "1.example"] } }), []);
    });

    it("are URLs of an API with a port that there is not", () => {
        assert.match(vim("https://10.0.0.1:99999").join(), /endpoint: must be an https URL/);
        assert.doesNotMatch(vim("https://10.0.0.1:6443").join(), /endpoint/);
    });

    it("are certificates that have ended", () => {
        assert.equal(endedCertificate(sampleCertificate), undefined);
        assert.match(endedCertificate(sampleCertificate, new Date("2200-01-01"))!, /^has ended on .*2126/);
    });
});

describe("manifests that are applied while a cluster is made", () => {
    let folder: string;
    before(() => {
        folder = mkdtempSync(join(tmpdir(), "nfv-manifests-"));
    });
    after(() => rmSync(folder, { recursive: true }));
    const file = (text: string) => {
        const path = join(folder, "a.yaml");
        writeFileSync(path, text);
        return path;
    };
    const wrong = "apiVersion: v1\nkind: ResourceQuota\nmetadata: { name: a }\nspec: { hrad: { pods: 5 } }\n";

    it("are read at preview: those of the pod network", () => {
        const read = (text: string) => () =>
            readFiles({ ...clusterArgs(1), network: { cni: "manifests", cniManifests: [file(text)] } });
        assert.throws(read(wrong), /a\.yaml\[0\]: spec\.hrad: .*did you mean "hard"/);
        assert.throws(read("{{- if .Values.a }}\na: b\n"), /a template that nothing has rendered/);
        assert.doesNotThrow(read(wrong.replace("hrad", "hard")));
    });

    it("are read at preview: those of hooks that apply them", () => {
        const read =
            (text: string, more: object = {}) =>
            () =>
                readFiles({
                    ...clusterArgs(1),
                    hooks: [{ name: "quota", manifests: [file(text)], events: ["scaleEnd"], ...more }],
                });
        assert.throws(read(wrong), /a\.yaml\[0\]: spec\.hrad: .*"hard"/);
        assert.throws(read("a: ["), /a\.yaml: /);
        assert.doesNotThrow(read(wrong, { action: "delete" }));
        assert.doesNotThrow(read(wrong.replace("hrad", "hard")));
    });
});
