import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { KubernetesCluster } from "../../../../../components";
import type { KubernetesClusterArgs } from "../../../../../components/args/args";
import type { CloudProviderArgs } from "../../../../../components/args/cloud-provider-args";
import { problems } from "../../../../../components/validation/validate";
import type { CloudProviderSpec } from "../../../../../provider/cloud-provider/cloud-provider";
import type { NodeSpec } from "../../../../../provider/common/model";
import { unpack } from "../../../../../provider/contract/packed";
import { type Answers, isSecret, record } from "../../recorder";
import { clusterArgs, sampleCertificate } from "../../sample-args";
import { cloudArgs } from "./sample-cloud-args";

const endpoint = (region: string, type = "public") => ({
    id: `${region}-${type}`,
    interface: type,
    region,
    regionId: region,
    url: `https://keystone.${region}/v3`,
});

/** Answers of the cloud and of our own resources. */
const cloud = (regions = ["one"]) => ({
    call: (token: string, inputs: Record<string, unknown>) => ({
        id: `${token.split(":").at(-1)}-${inputs["name"] ?? "only"}`,
        name: "public",
        cidr: "192.168.0.0/20",
        serviceCatalogs: [
            { id: "c", name: "nova", type: "compute", endpoints: [endpoint("wrong")] },
            {
                id: "k",
                name: "keystone",
                type: "identity",
                endpoints: regions.flatMap(region => [endpoint(region, "internal"), endpoint(region)]),
            },
        ],
    }),
    outputs: (type: string, name: string) => ({
        ...(type.endsWith(":Port") && { allFixedIps: ["10.100.0.7"] }),
        ...(type.endsWith(":FloatingIp") && { address: `floating for ${name}` }),
        ...(type.endsWith(":ServerKeys") && { seed: "c2VlZA==", publicKey: "ssh-ed25519 AAAA", privateKey: "key" }),
        ...(type.endsWith(":OperationStart") && { generations: {} }),
        ...(type.endsWith(":ApplicationCredential") && { secret: "canary-made" }),
    }),
});

const small = { controlPlane: { count: 1 }, pools: { workers: { count: 1 } } };
const program = (cloudProvider: CloudProviderArgs | undefined, nova = {}, more: Partial<KubernetesClusterArgs> = {}) =>
    cloudArgs(nova, { ...small, ...more, ...(cloudProvider && { cloudProvider }) });

async function made(args: KubernetesClusterArgs, mode: "preview" | "up" = "up", answers: Answers = cloud()) {
    const { resources } = await record(mode, () => new KubernetesCluster("core", args), answers);
    const all = (type: string) => resources.filter(({ label }) => label.startsWith(`${type} `));
    const only = (type: string) => {
        const [found, ...more] = all(type);
        assert.ok(found && more.length === 0, `${type}: ${resources.map(({ label }) => label).join(", ")}`);
        return found;
    };
    const spec = () => unpack(only("CloudProvider").inputs, [])["spec"] as CloudProviderSpec;
    return { resources, all, only, spec };
}

const manager = { cloudControllerManager: {} };
const said = (change: (args: KubernetesClusterArgs) => unknown, args = program(manager)) => {
    change(args);
    return problems("KubernetesCluster", args);
};

before(() => {
    // The first program loads Pulumi's SDK.
    return record("up", () => undefined).then(() => undefined);
});

describe("OpenStack's own parts in a cluster", () => {
    it("make snapshots where there are classes of them: the driver has its part, the cluster the kinds", async () => {
        const snapshotClasses = { snap: { isDefault: true } };
        const { only, all, spec } = await made(program({ cinderCsi: { snapshotClasses } }));
        const { cinderCsi } = spec();
        assert.deepEqual([cinderCsi!.snapshots, "snapshotClasses" in cinderCsi!], [true, false]);
        const { inputs, after } = only("SnapshotClassSet");
        const { snap } = inputs["classes"] as any;
        assert.deepEqual([snap.driver, snap.deletionPolicy], ["cinder.csi.openstack.org", "Delete"]);
        assert.deepEqual(snap.parameters, { "force-create": "true" }, "also of a volume that a pod uses");
        assert.ok(after.includes("CloudProvider core"), "nodes are initialised before the controller runs");
        assert.equal(all("StorageClassSet").length, 0);
        const without = await made(program({ cinderCsi: {} }));
        assert.ok(!("snapshots" in without.spec().cinderCsi!));
        assert.equal(without.all("SnapshotClassSet").length, 0);
    });

    it("are not there where nobody asked, and kubelets have no cloud then", async () => {
        const { all, resources } = await made(program(undefined));
        assert.deepEqual([all("CloudProvider"), all("ApplicationCredential")], [[], []]);
        assert.ok(!JSON.stringify(resources.map(({ inputs }) => inputs)).includes("cloud-provider"));
    });

    it("come right after the first master, before the operation's end, and wait for no worker", async () => {
        const { only } = await made(program(manager, {}, { controlPlane: { count: 3 } }));
        const before = only("CloudProvider").after.filter(label => /^(Node|Vim|Operation)/.test(label));
        assert.deepEqual(before, ["Node core-control-plane-1"]);
        assert.ok(only("OperationEnd").after.includes("CloudProvider core"));
        assert.equal(only("CloudProvider").deletedWith, "ClusterId core");
    });

    it("refuse another region in a run that leaves the checks out: the controller would delete the nodes", async () => {
        const seen = JSON.stringify({ fixed: { "infrastructure.heat.region": "one" }, masters: [] });
        const { call, outputs } = cloud(["one", "two"]);
        const stacked = (type: string, name: string) =>
            type.endsWith(":OperationStart") ? { ...outputs(type, name), keptInputs: seen } : outputs(type, name);
        const problemsWith = async (region: string) => {
            const heat = { image: "debian", flavor: "medium", externalNetwork: "public", region };
            const args = program(manager, {}, { infrastructure: { heat } });
            const { only } = await made(args, "preview", { call, outputs: stacked, updated: [] });
            return unpack(only("CloudProvider").inputs, [])["problems"];
        };
        assert.equal(await problemsWith("one"), undefined);
        assert.match(
            String(await problemsWith("two")),
            /infrastructure\.heat\.region changed in the program, and --target/,
        );
    });

    it("have every kubelet leave its node to the cloud controller manager; the user's word wins", async () => {
        const kubelets = async (args: KubernetesClusterArgs) => {
            const { all } = await made(args);
            return all("Node").map(({ inputs }) => (unpack(inputs, [])["spec"] as NodeSpec).extraArgs["kubelet"]);
        };
        assert.deepEqual(await kubelets(program(manager)), Array(2).fill({ "cloud-provider": "external" }));
        const extraArgs = { kubelet: { "cloud-provider": "mine", v: "3" } };
        const own = program(manager, {}, { controlPlane: { count: 1, extraArgs } });
        assert.deepEqual(await kubelets(own), Array(2).fill({ "cloud-provider": "mine", v: "3" }));
        assert.deepEqual(await kubelets(program({ cinderCsi: {} })), Array(2).fill(undefined));
        const off = { cloudControllerManager: { enabled: false }, cinderCsi: {} };
        assert.deepEqual(await kubelets(program(off)), Array(2).fill(undefined));
    });

    it("log in with a restricted application credential of their own, after the cloud was checked", async () => {
        const { only, spec } = await made(program({ ...manager, credentials: { roles: ["member"] } }));
        const { inputs, after, ignoreChanges } = only("ApplicationCredential");
        // For the plug-in, a credential with another description is another one.
        assert.deepEqual(ignoreChanges, ["description"]);
        assert.deepEqual([inputs["unrestricted"], inputs["roles"]], [false, ["member"]]);
        assert.ok(after.includes("CloudCheck core"));
        const { access } = spec();
        assert.equal(access.applicationCredentialId, "core-cloud-provider-id");
        assert.equal(access.applicationCredentialSecret, "canary-made");
    });

    it("are noted with the cluster's identity, which refuses a program that leaves a running one out", async () => {
        const noted = async (args: KubernetesClusterArgs) => {
            const { only } = await made(args);
            return JSON.parse(only("ClusterId").inputs["kept"] as string).cloudParts;
        };
        const off = { cloudControllerManager: {}, cinderCsi: { enabled: false } };
        assert.deepEqual(await noted(program(off)), { cloudControllerManager: true, cinderCsi: false });
        assert.deepEqual(await noted(program(undefined)), {});
    });

    it("or with the one that is given, and then make none", async () => {
        const credentials = { applicationCredentialId: "site", applicationCredentialSecret: "canary-given" };
        const { all, spec } = await made(program({ ...manager, credentials }));
        assert.deepEqual(all("ApplicationCredential"), []);
        const { applicationCredentialId, applicationCredentialSecret } = spec().access;
        assert.deepEqual([applicationCredentialId, applicationCredentialSecret], ["site", "canary-given"]);
    });

    it("find Keystone and the region in the catalogue, or are told", async () => {
        const found = (await made(program(manager))).spec().access;
        assert.deepEqual([found.authUrl, found.region], ["https://keystone.one/v3", "one"]);
        const second = (await made(program(manager, { region: "two" }), "up", cloud(["one", "two"]))).spec().access;
        assert.deepEqual([second.authUrl, second.region], ["https://keystone.two/v3", "two"]);
        const told = {
            ...manager,
            authUrl: "https://inside/v3",
            region: "x",
            caCertificate: sampleCertificate,
        };
        const { authUrl, region, caCertificate } = (await made(program(told))).spec().access;
        assert.deepEqual([authUrl, region, caCertificate], ["https://inside/v3", "x", sampleCertificate]);
    });

    it("travel with their secret encrypted", async () => {
        const credentials = { applicationCredentialId: "site", applicationCredentialSecret: "canary-given" };
        for (const given of [manager, { ...manager, credentials }]) {
            const { only } = await made(program(given));
            const { raw } = only("CloudProvider");
            const clear = JSON.stringify(raw, (_, value) => (isSecret(value) ? "secret" : value));
            assert.ok(!clear.includes("canary"));
            assert.ok(JSON.stringify(raw).includes("canary"), "the test sees what it looks for");
        }
    });

    it("show their steps at the first preview already, and with fingerprints later", async () => {
        const given = { ...manager, cinderCsi: {} };
        const steps = async (mode: "preview" | "up") =>
            unpack((await made(program(given), mode)).only("CloudProvider").inputs, [])["steps"] as Record<
                string,
                string
            >;
        const [first, later] = [await steps("preview"), await steps("up")];
        assert.deepEqual(Object.keys(first).sort(), [
            "apply Cinder CSI",
            "apply the cloud controller manager",
            "apply the storage classes",
            "give the cloud provider its credentials",
        ]);
        assert.deepEqual(new Set(Object.values(first)), new Set(["to do"]));
        assert.deepEqual(Object.keys(later).sort(), Object.keys(first).sort());
        for (const fingerprint of Object.values(later)) assert.match(fingerprint, /^[0-9a-f]{12}$/);
    });
});

describe("what is refused of OpenStack's own parts", () => {
    const change = (cloudProvider: object) => (args: KubernetesClusterArgs) => Object.assign(args, { cloudProvider });
    const rows: [string, object, string][] = [
        ["no part", {}, "cloudProvider: set at least one of: cloudControllerManager, cinderCsi"],
        [
            "half a credential",
            { ...manager, credentials: { applicationCredentialId: "x" } },
            "cloudProvider.credentials.applicationCredentialSecret: is required with applicationCredentialId",
        ],
        [
            "roles of one that exists",
            {
                ...manager,
                credentials: { applicationCredentialId: "x", applicationCredentialSecret: "y", roles: ["member"] },
            },
            "cloudProvider.credentials.roles: has no meaning with applicationCredentialId: its roles are those that it was made with",
        ],
        [
            "a version of another form",
            { cloudControllerManager: { version: "1.34" } },
            'cloudProvider.cloudControllerManager.version: "1.34" is no version: write it like "v1.36.0"',
        ],
        [
            "another reclaim policy",
            { cinderCsi: { storageClasses: { fast: { reclaimPolicy: "retain" } } } },
            'cloudProvider.cinderCsi.storageClasses.fast.reclaimPolicy: "retain" is not allowed: Delete, Retain; did you mean "Retain"?',
        ],
        [
            "two defaults",
            { cinderCsi: { storageClasses: { a: { isDefault: true }, b: { isDefault: true } } } },
            "cloudProvider.cinderCsi.storageClasses: only one can be the default: a, b have isDefault",
        ],
    ];
    for (const [name, given, message] of rows) {
        it(name, () => assert.deepEqual(said(change(given)), [message]));
    }

    it("a version of Kubernetes for which none is known, unless one is named", () => {
        const newer = (args: KubernetesClusterArgs) => Object.assign(args, { kubernetes: { version: "1.99.0" } });
        const found = said(newer).filter(line => line.startsWith("cloudProvider"));
        assert.equal(found.length, 1);
        assert.match(found[0]!, /^cloudProvider\.cloudControllerManager\.version: is required: none is known/);
        const named = program({ cloudControllerManager: { version: "v1.99.0" } });
        assert.deepEqual(
            said(newer, named).filter(line => line.startsWith("cloudProvider")),
            [],
        );
    });

    it("machines that are no cloud's", () => {
        const args = clusterArgs(1, {}, { cloudProvider: manager });
        assert.deepEqual(problems("KubernetesCluster", args), [
            "cloudProvider: has no meaning with infrastructure.hosts: use heat or nova",
        ]);
    });

    it("nothing that is right, also where it is not known yet", () => {
        const credentials = {
            applicationCredentialId: pulumi.output("x"),
            applicationCredentialSecret: pulumi.secret("y"),
        };
        const right = { ...manager, cinderCsi: { storageClasses: { fast: { isDefault: true } } }, credentials };
        assert.deepEqual(said(change(right)), []);
    });
});
