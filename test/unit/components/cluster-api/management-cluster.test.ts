import { deepStrictEqual, ok, rejects } from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { ManagementCluster, Vim, WorkloadCluster } from "../../../../components";
import { problems } from "../../../../components/validation/validate";
import { isSecret, record, registered } from "../recorder";
import { sampleCertificate } from "../sample-args";

describe("ManagementCluster", () => {
    let folder: string;
    const vim = () =>
        new Vim("vim", {
            endpoint: "https://10.0.0.1:6443",
            caCertificate: sampleCertificate,
            auth: { bearerToken: "token" },
        });

    beforeEach(() => {
        folder = mkdtempSync(path.join(tmpdir(), "nfv-management-"));
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    it("keeps the values of its providers' variables secret: with some of them a provider logs in to its cloud", async () => {
        const components = path.join(folder, "components.yaml");
        writeFileSync(components, "apiVersion: v1\nkind: Namespace\nmetadata: { name: a }\n");
        const provider = { version: "1.13.6", components };
        const program = () =>
            new ManagementCluster("management", {
                vim: vim(),
                providers: {
                    "cluster-api": provider,
                    "infrastructure-aws": {
                        ...provider,
                        variables: { CREDENTIALS: "canary", LATER: pulumi.output(Promise.resolve("later")) },
                    },
                },
            });
        const { resources } = await record("up", program);
        const { inputs, raw, secretOutputs } = registered(resources, "ClusterApiProviders management");
        deepStrictEqual(inputs["variables"], { "infrastructure-aws": { CREDENTIALS: "canary", LATER: "later" } });
        ok(isSecret(raw["variables"]));
        ok(secretOutputs.includes("variables"));
        deepStrictEqual(JSON.stringify(inputs["providers"]).includes("canary"), false);
    });

    it("is refused with images and flags that its pods could not have", () => {
        const found = problems("ManagementCluster", {
            providers: { "cluster-api": { image: "", flags: { "--v": "4" } } },
            imageRepository: "https://registry.site/a",
        });
        deepStrictEqual(
            found.filter(each => !each.startsWith("vim")).map(each => each.slice(0, each.indexOf(": "))),
            ["providers.cluster-api.image", "providers.cluster-api.flags.--v", "imageRepository"],
        );
    });

    it("is refused with requests of its pods that are no quantities, which Kubernetes would refuse when a part is installed", () => {
        const found = (cpu: string) =>
            problems("ManagementCluster", { providers: { "cluster-api": { requests: { cpu } } } }).filter(
                each => !each.startsWith("vim"),
            );
        for (const cpu of ["100m", "1", "0.5", "128Mi", "1e3"]) deepStrictEqual(found(cpu), []);
        deepStrictEqual(found("100 milli"), [
            'providers.cluster-api.requests.cpu: "100 milli" is no quantity: "100m", "128Mi"',
        ]);
    });

    it("brings the kinds of its providers: a WorkloadCluster on it waits for these, and not for a misspelt one", async () => {
        const group = "cluster.x-k8s.io";
        const components = path.join(folder, "components.yaml");
        const paused = { type: "boolean" };
        const openAPIV3Schema = { properties: { spec: { type: "object", properties: { paused } } } };
        const schema = { openAPIV3Schema };
        let spec: object = {};
        const definition = {
            apiVersion: "apiextensions.k8s.io/v1",
            kind: "CustomResourceDefinition",
            metadata: { name: `clusters.${group}` },
            spec: {
                group,
                scope: "Namespaced",
                names: { kind: "Cluster" },
                versions: [{ name: "v1beta2", served: true, schema }],
            },
        };
        const object = (kind: string) => ({
            apiVersion: `${group}/v1beta2`,
            kind,
            metadata: { name: "site" },
            spec,
        });
        const program = () => {
            const providers = { "cluster-api": { version: "1.13.6", components } };
            const management = new ManagementCluster("management", { vim: vim(), providers });
            const manifests = ["Cluster", "MachineDeploymnt"].map(kind => `${JSON.stringify(object(kind))}\n`);
            return new WorkloadCluster("site", { management, manifests });
        };
        const awaited = async () => {
            const { resources } = await record("preview", program);
            const { kinds } = registered(resources, "CnfReadiness site/kinds").inputs as { kinds: { kind: string }[] };
            return kinds.map(({ kind }) => kind);
        };
        writeFileSync(components, `${JSON.stringify(definition)}\n`);
        deepStrictEqual(await awaited(), ["Cluster"]);
        // A release's own file is not read: it may define anything.
        writeFileSync(components, "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n");
        deepStrictEqual(await awaited(), ["Cluster", "MachineDeploymnt"]);
        spec = { pausd: true };
        deepStrictEqual(await awaited(), ["Cluster", "MachineDeploymnt"]);
        // A bundle's definitions say at the first preview, before there is a cluster, which fields a kind has.
        writeFileSync(components, `${JSON.stringify(definition)}\n`);
        await rejects(
            record("preview", program),
            /INVALID_INPUT[\s\S]*Cluster site: spec\.pausd: this kind has no such field; did you mean "paused"\?/,
        );
    });

    it("is refused without the core of Cluster API: other providers do nothing without it", async () => {
        const program = () =>
            new ManagementCluster("management", { vim: vim(), providers: { "bootstrap-kubeadm": {} } });
        await rejects(record("up", program), /providers: must have "cluster-api", too: what is listed is all/);
    });
});
