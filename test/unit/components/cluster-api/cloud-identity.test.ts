import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { parse } from "yaml";
import { Vim, WorkloadCluster, type WorkloadClusterArgs } from "../../../../components";
import { workloadRollout } from "../../../../provider/cluster-api/workload/workload-rollout";
import { isSecret, type Registered, record, registered } from "../recorder";
import { sampleCertificate } from "../sample-args";

type Identity = NonNullable<WorkloadClusterArgs["openstack"]>["identity"];
type Call = (token: string, inputs: Record<string, unknown>) => Record<string, unknown>;

const keystone = (region: string) => ({
    interface: "public",
    region,
    regionId: region,
    url: `https://${region}:5000/v3`,
});
const catalogue =
    (...regions: string[]): Call =>
    () => ({
        serviceCatalogs: [{ type: "identity", name: "keystone", endpoints: regions.map(keystone) }],
    });

const access = {
    endpoint: "https://10.0.0.9:6443",
    caCertificate: sampleCertificate,
    clientCertificate: "certificate",
    clientKey: "canary-key",
};
const ofTypes: Record<string, object> = {
    ApplicationCredential: { secret: "canary-secret", region: "" },
    WorkloadRollout: { ...access, uid: "0b9d4c4e-6a1b", machines: [] },
    VimRegistration: { kubeconfig: "kind: Config", vimConnectionInfo: { vimId: "site" }, clusterId: "site-1" },
};

async function made(identity: Identity, more: Partial<WorkloadClusterArgs> = {}, call = catalogue("north")) {
    const program = () =>
        new WorkloadCluster("site", {
            managementVim: new Vim("management", {
                endpoint: "https://10.0.0.1:6443",
                caCertificate: sampleCertificate,
                auth: { bearerToken: "token" },
            }),
            namespace: "sites",
            version: "1.34.4",
            openstack: { identity, externalNetwork: "public" },
            controlPlane: { flavor: "m1.medium", image: "k8s" },
            pools: { md: { flavor: "m1.small", image: "k8s" } },
            ...more,
        });
    const outputs = (type: string) => (ofTypes[type.split(":").at(-1)!] ?? {}) as Record<string, unknown>;
    return (await record("up", program, { call, outputs })).resources;
}

const secret = "Secret site/Secret/sites/site-cloud-config";
const reference = (resources: Registered[]) =>
    (
        registered(resources, "OpenStackCluster site/OpenStackCluster.infrastructure.cluster.x-k8s.io/sites/site")
            .inputs["spec"] as { identityRef: object }
    ).identityRef;
const dataOf = (resources: Registered[]) =>
    registered(resources, secret).inputs["stringData"] as Record<string, string>;
const identityOf = (resources: Registered[]) =>
    resources.find(({ type }) => type.endsWith(":OpenStackClusterIdentity"));
const cloudOf = (resources: Registered[]) => parse(dataOf(resources)["clouds.yaml"]!).clouds.openstack;

describe("the login of a workload cluster to the cloud", () => {
    it("that changes in clouds.yaml changes the Secret and nothing else: no machine is replaced", async () => {
        const [before, after] = [
            await made({ cloudsYaml: "clouds: {openstack: 1}" }),
            await made({ cloudsYaml: pulumi.secret("clouds: {openstack: 2}") }),
        ];
        const inputsOf = (all: Registered[]) => new Map(all.map(({ urn, inputs }) => [urn, JSON.stringify(inputs)]));
        const former = inputsOf(before);
        deepStrictEqual([...former.keys()].sort(), [...inputsOf(after).keys()].sort());
        const changed = after.filter(({ urn, inputs }) => JSON.stringify(inputs) !== former.get(urn));
        deepStrictEqual(
            changed.map(({ label }) => label),
            [secret],
        );
        const [olds, news] = [before, after].map(all => registered(all, "WorkloadRollout site").inputs as never);
        deepStrictEqual(workloadRollout.check(olds!, news!).notes, []);
        strictEqual(workloadRollout.diff("sites/site", olds!, news!).changes, false);
    });

    it("is never plain in the state", async () => {
        const resources = await made({ cloudsYaml: "clouds: {openstack: canary}" });
        const { stringData } = registered(resources, secret).raw as { stringData: Record<string, unknown> };
        ok(isSecret(stringData) || isSecret(stringData["clouds.yaml"]));
    });

    it("is an existing identity for several clusters: nothing is made for it", async () => {
        const resources = await made({ clusterIdentity: "cloud", cloudName: "north", region: "n1" });
        deepStrictEqual(reference(resources), {
            type: "ClusterIdentity",
            name: "cloud",
            cloudName: "north",
            region: "n1",
        });
        strictEqual(identityOf(resources), undefined);
        ok(!resources.some(({ label }) => label === secret));
        strictEqual(registered(resources, "WorkloadRollout site").inputs["ownIdentity"], undefined);
    });

    it("is an identity that is made, for this cluster's namespace unless others are named", async () => {
        const own = await made({ cloudsYaml: "clouds: {openstack: {}}", clusterIdentity: "cloud" });
        const spec = (resources: Registered[]) => identityOf(resources)!.inputs["spec"];
        deepStrictEqual(spec(own), {
            secretRef: { name: "site-cloud-config", namespace: "sites" },
            namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "sites" } },
        });
        ok(!("namespace" in (identityOf(own)!.inputs["metadata"] as object)));
        strictEqual(registered(own, "WorkloadRollout site").inputs["ownIdentity"], "cloud");
        const named = await made({
            cloudsYaml: "clouds: {openstack: {}}",
            clusterIdentity: "cloud",
            namespaceSelector: { team: "a" },
        });
        deepStrictEqual((spec(named) as { namespaceSelector: object }).namespaceSelector, {
            matchLabels: { team: "a" },
        });
    });

    it("moves from a Secret to an identity without another machine", async () => {
        const [before, after] = [
            await made({ cloudsYaml: "clouds: {openstack: {}}" }),
            await made({ cloudsYaml: "clouds: {openstack: {}}", clusterIdentity: "cloud" }),
        ];
        const [olds, news] = [before, after].map(all => registered(all, "WorkloadRollout site").inputs as never);
        deepStrictEqual(workloadRollout.check(olds!, news!).notes, []);
        notStrictEqual(identityOf(after), undefined);
        strictEqual(workloadRollout.needsCheckInCloud!(olds!, news!), false);
        strictEqual(workloadRollout.needsCheckInCloud!(news!, olds!), true);
        const theirs = registered(await made({ secretName: "theirs" }), "WorkloadRollout site").inputs as never;
        strictEqual(workloadRollout.needsCheckInCloud!(olds!, theirs!), true);
        strictEqual(workloadRollout.needsCheckInCloud!(theirs!, olds!), false);
    });

    it("and other secrets in own manifests are seen where machines are made of them, and known by a hash", async () => {
        const manifest = `{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: site}}
---
{apiVersion: controlplane.cluster.x-k8s.io/v1beta2, kind: KubeadmControlPlane, metadata: {name: a}, spec: {kubeadmConfigSpec: {users: ["\${A}"]}}}`;
        const rolesWith = async (value: string) => {
            const own = { openstack: undefined, controlPlane: undefined, pools: undefined, version: undefined };
            const more = { ...own, manifests: [manifest], variables: { A: pulumi.secret(value) } };
            return registered(await made({}, more as never), "WorkloadRollout site").inputs["roles"];
        };
        const [one, other] = [await rolesWith("canary"), await rolesWith("other")];
        notStrictEqual(JSON.stringify(one), JSON.stringify(other));
        ok(!JSON.stringify(one).includes("canary"));
    });

    describe("by an application credential of its own", () => {
        const credentialOf = (resources: Registered[]) =>
            registered(resources, "ApplicationCredential site-cluster-api");

        it("has few rights, and is what the Secret holds: the Secret goes before it, and changes after the next one is made", async () => {
            const resources = await made({ applicationCredential: {} });
            const { inputs, deleteBeforeReplace, secretOutputs } = credentialOf(resources);
            const { roles, unrestricted, accessRules } = inputs;
            deepStrictEqual([roles, unrestricted, accessRules], [["member"], false, undefined]);
            strictEqual(deleteBeforeReplace, false);
            ok(secretOutputs.includes("secret"));
            deepStrictEqual(cloudOf(resources), {
                auth_type: "v3applicationcredential",
                auth: {
                    auth_url: "https://north:5000/v3",
                    application_credential_id: "site-cluster-api-id",
                    application_credential_secret: "canary-secret",
                },
                interface: "public",
                identity_api_version: 3,
            });
            const { stringData } = registered(resources, secret).raw as { stringData: unknown };
            ok(JSON.stringify(stringData).includes("1b47061264138c4ac30d75fd1eb44270"));
            ok(registered(resources, secret).after.includes(credentialOf(resources).label));
        });

        it("is another one, by its description, when `rotate` changes; machines stay", async () => {
            const [before, after] = [
                await made({ applicationCredential: { rotate: "2026-10" } }),
                await made({ applicationCredential: { rotate: "2026-11" } }),
            ];
            notStrictEqual(credentialOf(before).inputs["description"], credentialOf(after).inputs["description"]);
            const [olds, news] = [before, after].map(all => registered(all, "WorkloadRollout site").inputs as never);
            strictEqual(workloadRollout.diff("sites/site", olds!, news!).changes, false);
        });

        it("takes roles, rules, region and address from the program", async () => {
            const accessRules = [{ service: "compute", method: "GET", path: "/v2.1/**" }];
            const authUrl = "https://inside:5000/v3";
            const asked: string[] = [];
            const resources = await made(
                { applicationCredential: { roles: ["r"], accessRules, authUrl }, region: "south", cloudName: "c" },
                {},
                token => {
                    if (token.startsWith("openstack:")) asked.push(token);
                    return {};
                },
            );
            const { inputs } = credentialOf(resources);
            deepStrictEqual([inputs["roles"], inputs["accessRules"]], [["r"], accessRules]);
            const { auth, region_name } = parse(dataOf(resources)["clouds.yaml"]!).clouds.c;
            deepStrictEqual([auth.auth_url, region_name, asked], [authUrl, "south", []]);
        });

        it("uses Keystone of the region that is given", async () => {
            const given = { applicationCredential: {}, region: "south" };
            const { auth } = cloudOf(await made(given, {}, catalogue("north", "south")));
            match(auth.auth_url, /^https:\/\/south/);
        });
    });
});

describe("the credentials of a workload cluster that are sent", () => {
    const identity = { secretName: "cloud" };
    const report = async (sendCredentials: object) =>
        registered(
            await made(identity, { sendCredentials: { url: "https://r/x", ...sendCredentials } }),
            "CredentialReport site",
        );

    it("are those of the account, secret, and wait for it", async () => {
        const { inputs, raw, after, secretOutputs } = await report({ token: "canary-token" });
        deepStrictEqual(Object.keys(inputs["credentials"] as object).sort(), ["kubeconfig", "vimConnectionInfo"]);
        ok(isSecret(raw["credentials"]));
        ok(isSecret(raw["token"]));
        ok(secretOutputs.includes("token"));
        ok(after.includes("WorkloadRollout site"), after.join());
        deepStrictEqual([inputs["removal"], inputs["timeoutSeconds"]], [false, 60]);
    });

    it("are the administrator's where the program asks for them", async () => {
        const { inputs } = await report({ access: "administrator" });
        deepStrictEqual(Object.keys(inputs["credentials"] as object), ["kubeconfig"]);
    });
});
