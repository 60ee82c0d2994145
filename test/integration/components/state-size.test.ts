import { strict as assert } from "node:assert";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { bytesOf, ownResources, type StoredResource } from "../../../bench/preview/state";
import { type SimulatedCluster, simulatedCluster } from "../../../bench/simulation/simulated-cluster";
import { sampleKeys } from "../../../components/preview/sample-identity";
import { skipIf } from "../../support/skip";
import { asStory } from "../../support/story";
import { notBuilt, UserProject } from "../../support/user-project";

const list = (folder: string, names: string) => names.split(" ").map(name => `${folder}/${name}`);
const files = [
    ...list("bin", "kubeadm kubelet kubectl etcdctl etcdutl"),
    ...list("cni", "bridge host-local loopback portmap firewall tuning"),
    ...list(
        "images",
        "kube-apiserver kube-controller-manager kube-scheduler kube-proxy pause coredns etcd podnet haproxy",
    ),
];
const kinds: Record<string, string> = { bin: "binary", cni: "cni", images: "image" };

/** A bundle with as many files as a real one, each of a few bytes. */
function writeBundle(folder: string): void {
    const entries = files.map(path => {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), path);
        const sha256 = createHash("sha256").update(path).digest("hex");
        const [kind, name] = path.split("/");
        const image = kind === "images" && { image: `registry.k8s.io/${name}:v1.36.3`, digest: `sha256:${sha256}` };
        const roles = ["controlPlane", "worker"];
        return { path, kind: kinds[kind!], sha256, sizeBytes: path.length, roles, ...image };
    });
    const manifest = { apiVersion: "pulumi-nfv/v1", kubernetes: "1.36.3", arch: "amd64", files: entries };
    writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
}

/** Bytes of compact JSON of a machine's Host and Node together. */
const limits = { m1: 15_500, w1: 14_500 };

/** Real engine and dynamic resources, simulated machines. */
describe("the state of a cluster of 3 masters and 2 workers with bundle, proxy, mirror and audit log", function () {
    asStory(this);
    let cluster: SimulatedCluster;
    let project: UserProject;
    let bundle: string;
    let resources: StoredResource[];
    const secrets = ["proxy-password", "mirror-password"];

    before(async function () {
        skipIf(this, notBuilt());
        bundle = mkdtempSync(join(tmpdir(), "nfv-bundle-"));
        writeBundle(bundle);
        cluster = await simulatedCluster(3, 2, () => 0);
        project = await UserProject.make("size", "test/integration/components/cluster-program.js");
        const args = cluster.args as any;
        const url = `http://user:${secrets[0]}@proxy.site:3128`;
        const mirror = { endpoints: ["https://mirror.site:5000"], ca: sampleKeys.caCertificate };
        const rule = "  - level: Metadata\n    resources:\n      - group: ''\n        resources: [secrets]\n";
        project.give({
            ...args,
            kubernetes: { ...args.kubernetes, source: { bundle: { path: bundle } } },
            proxy: { httpProxy: url, httpsProxy: url, noProxy: ["10.0.0.0/8", ".site"] },
            registries: { "registry.k8s.io": { ...mirror, username: "u", password: secrets[1] } },
            trustedCertificates: [sampleKeys.caCertificate],
            controlPlane: {
                ...args.controlPlane,
                audit: { policy: `apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n${rule.repeat(20)}` },
            },
        });
        await project.pulumi.up();
        const exported = await project.pulumi.run(["stack", "export"]);
        resources = JSON.parse(exported).deployment.resources;
    });

    after(async () => {
        await cluster?.stop();
        project?.remove();
        if (bundle) rmSync(bundle, { recursive: true });
    });

    for (const [machine, limit] of Object.entries(limits)) {
        it(`has at most ${limit} bytes of ${machine}`, () => {
            const bytes = bytesOf(resources, machine);
            assert.ok(bytes > 5000 && bytes <= limit, `${bytes} bytes`);
        });
    }

    it("has no text there that all nodes share: files of the bundle, certificates, the audit policy", () => {
        for (const resource of ownResources(resources).filter(({ type }) => /:(Host|Node)$/.test(type))) {
            assert.doesNotMatch(JSON.stringify(resource), /etcdutl|BEGIN CERTIFICATE|level: Metadata/, resource.urn);
        }
    });

    it("has no secret in clear", () => {
        const text = JSON.stringify(resources);
        for (const secret of [...secrets, "PRIVATE KEY"]) assert.ok(!text.includes(secret), secret);
    });

    it("is what the next run asks for, also after a refresh", async () => {
        await project.pulumi.run(["refresh", "--yes", "--skip-preview", "--non-interactive"]);
        await project.pulumi.run(["preview", "--expect-no-changes", "--non-interactive"]);
    });
});
