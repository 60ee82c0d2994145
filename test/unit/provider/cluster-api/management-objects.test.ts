import { deepStrictEqual, match, ok, strictEqual, throws } from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import {
    inventoryDefinition,
    type ManagementOptions,
    newWebhookKeys,
    type ProviderSpec,
    providerObjects,
    type WebhookKeys,
} from "../../../../provider/cluster-api";
import type { KubeObject } from "../../../../provider/vim";
import { sampleComponents, samples } from "./sample-components";

const { core, openstack, bootstrap } = samples;

/** All objects, in the order in which they must be applied. */
const managementObjects = (options: ManagementOptions) => [
    inventoryDefinition(),
    ...providerObjects(options).flatMap(each => each.objects),
];

describe("the objects of a management cluster", () => {
    let keys: WebhookKeys;
    before(async () => {
        keys = await newWebhookKeys([core, openstack, bootstrap]);
    });
    const objects = (options: Partial<ManagementOptions> = {}): any[] =>
        managementObjects({ providers: [core], keys, ...options });
    const one = (kind: string, spec: Partial<ProviderSpec> = {}, options: Partial<ManagementOptions> = {}) =>
        objects({ providers: [{ ...core, ...spec }], ...options }).find(object => object.kind === kind);
    const managerOf = (spec: Partial<ProviderSpec>) => one("Deployment", spec).spec.template.spec.containers[0];

    it("come in the order of their needs, and a provider's entry in the inventory last", () => {
        deepStrictEqual(
            objects().map(({ kind, metadata }) => `${kind} ${metadata.name}`),
            [
                "CustomResourceDefinition providers.clusterctl.cluster.x-k8s.io",
                "Namespace capi-system",
                "CustomResourceDefinition things.capi.test",
                "ServiceAccount capi-manager",
                "Secret capi-cert",
                "Deployment capi-controller-manager",
                "ValidatingWebhookConfiguration capi-validating",
                "Provider cluster-api",
            ],
        );
    });

    it("come by provider in the order of upgrades, the core first", () => {
        const found = providerObjects({ providers: [openstack, bootstrap, core], keys });
        deepStrictEqual(
            found.map(({ label, version, namespace }) => [label, version, namespace]),
            [
                ["cluster-api", "v1.13.6", "capi-system"],
                ["bootstrap-kubeadm", "v1.13.6", "boot-system"],
                ["infrastructure-openstack", "v0.14.7", "capo-system"],
            ],
        );
    });

    it("carry the labels by which clusterctl knows them as its own", () => {
        for (const { label, objects: own } of providerObjects({ providers: [core, openstack], keys })) {
            for (const { metadata } of own) {
                strictEqual(metadata.labels?.["cluster.x-k8s.io/provider"], label);
                strictEqual(metadata.labels["clusterctl.cluster.x-k8s.io"], "");
            }
        }
    });

    it("have an inventory that clusterctl reads", () => {
        const { metadata, ...entry } = objects({ providers: [core, openstack] }).at(-1)!;
        deepStrictEqual(entry, {
            apiVersion: "clusterctl.cluster.x-k8s.io/v1alpha3",
            kind: "Provider",
            providerName: "openstack",
            type: "InfrastructureProvider",
            version: "v0.14.7",
        });
        deepStrictEqual([metadata.name, metadata.namespace], ["infrastructure-openstack", "capo-system"]);
        strictEqual(metadata.labels["clusterctl.cluster.x-k8s.io/core"], "inventory");
    });

    it("need no cert-manager: webhooks and converting definitions trust our authority", () => {
        ok(!JSON.stringify(objects()).includes("cert-manager"));
        const given = [
            ...one("ValidatingWebhookConfiguration").webhooks.map((each: any) => each.clientConfig),
            objects()[2].spec.conversion.webhook.clientConfig,
        ];
        strictEqual(given.length, 3);
        for (const { caBundle, service } of given) {
            strictEqual(Buffer.from(caBundle, "base64").toString(), keys.authority.certificate);
            ok(service);
        }
        deepStrictEqual(objects()[2].metadata.annotations, { a: "b" });
    });

    it("have a serving certificate of that authority for the webhook's Service", () => {
        const { type, data, metadata } = one("Secret");
        deepStrictEqual([type, metadata.namespace], ["kubernetes.io/tls", "capi-system"]);
        const pem = (key: string) => Buffer.from(data[key], "base64").toString();
        const certificate = new X509Certificate(pem("tls.crt"));
        ok(certificate.checkHost("capi-webhook-service.capi-system.svc"));
        ok(certificate.verify(new X509Certificate(pem("ca.crt")).publicKey));
        match(pem("tls.key"), /BEGIN PRIVATE KEY/);
    });

    it("trust a former authority as long as there is one", () => {
        const former = { ...keys, formerAuthorities: "FORMER\n" };
        const [{ clientConfig }] = one("ValidatingWebhookConfiguration", {}, { keys: former }).webhooks;
        strictEqual(Buffer.from(clientConfig.caBundle, "base64").toString(), `${keys.authority.certificate}FORMER\n`);
    });

    it("have the release's own options without others", () => {
        const { args, image, resources } = managerOf({});
        deepStrictEqual(args, ["--leader-elect", "--feature-gates=One=true,Two=false", "--sync-period=10m"]);
        deepStrictEqual([image, resources], ["registry.k8s.io/capi/manager:v1.0.0", undefined]);
        strictEqual(one("Deployment").spec.replicas, 1);
    });

    it("have what the program says: variables, gates, flags, replicas, resources, image", () => {
        const resources = { requests: { memory: "64Mi" } };
        const given = {
            ...{ variables: { TWO: "true" }, featureGates: { One: false }, flags: { "sync-period": "2m", v: "4" } },
            ...{ replicas: 2, resources, image: "site.test/manager:v9" },
        };
        const manager = managerOf(given);
        deepStrictEqual(manager.args, [
            "--leader-elect",
            "--feature-gates=One=false,Two=true",
            "--sync-period=2m",
            "--v=4",
        ]);
        deepStrictEqual([manager.image, manager.resources], ["site.test/manager:v9", resources]);
        strictEqual(one("Deployment", given).spec.replicas, 2);
        strictEqual(one("Deployment", { variables: { REPLICAS: "3" } }).spec.replicas, 3);
    });

    it("come from a site's registry, whatever else is in the pod", () => {
        const { containers, initContainers } = one("Deployment", {}, { imageRepository: "site:5000/mirror" }).spec
            .template.spec;
        deepStrictEqual(
            [...containers, ...initContainers].map(({ image }) => image),
            ["site:5000/mirror/capi/manager:v1.0.0", "quay.test/other:v1", "site:5000/mirror/init:v1"],
        );
    });

    const refusals: [string, () => unknown, RegExp][] = [
        [
            "a gate that the release does not have",
            () => managerOf({ featureGates: { Tow: true } }),
            /no feature gate Tow; it has One, Two, AllAlpha, AllBeta; did you mean "Two"/,
        ],
        ["no core", () => objects({ providers: [openstack] }), /0 are of type core/],
        [
            "two of a kind",
            () => objects({ providers: [core, openstack, openstack] }),
            /infrastructure-openstack is there twice/,
        ],
        [
            "a version without v",
            () => one("Deployment", { version: "1.13.6" }),
            /version "1\.13\.6" is not written as "v1\.13\.6"/,
        ],
        [
            "another type",
            () => one("Deployment", { type: "cores" as "core" }),
            /type "cores" is none of core, bootstrap/,
        ],
        ["another name", () => one("Deployment", { name: "Cluster API" }), /"Cluster API" is no name/],
        [
            "keys of other providers",
            () => objects({ keys: { ...keys, serving: {} } }),
            /no certificate capi-system\/capi-cert/,
        ],
        [
            "components without a Namespace",
            () => one("Deployment", { components: core.components.replace("kind: Namespace", "kind: Space") }),
            /one Namespace, and have 0/,
        ],
        [
            "a certificate that is an authority",
            () =>
                one("Deployment", {
                    components: core.components.replace("spec: { secretName", "spec: { isCA: true, secretName"),
                }),
            /Certificate capi-serving-cert is not one/,
        ],
        ["no objects", () => one("Deployment", { components: "# nothing\n" }), /there is none/],
        ["a list", () => one("Deployment", { components: "- a\n" }), /object 1 is not so/],
        [
            "text that is no YAML",
            () => one("Deployment", { components: "a: b: c" }),
            /components of cluster-api cannot be read/,
        ],
    ];
    it("that cannot be read are refused without a word of what a variable had", () => {
        const attempt = () => one("Deployment", { components: "a: b: ${KEY}", variables: { KEY: "canary" } });
        throws(attempt, (error: Error) => !error.message.includes("canary"));
    });

    for (const [what, attempt, message] of refusals) {
        it(`are refused for ${what}`, () => throws(attempt, { code: "INVALID_INPUT", message }));
    }

    it("keep gates without a list in the components as they are given", () => {
        const components = sampleComponents("capi", "capi-system").replace(/ *- --feature-gates.*\n/, "");
        const { args } = managerOf({ components, featureGates: { New: true } });
        deepStrictEqual(args, ["--leader-elect", "--sync-period=10m", "--feature-gates=New=true"]);
    });

    it("are the same for the same options", () => {
        deepStrictEqual(objects(), objects());
        const frozen: KubeObject[] = objects();
        managementObjects({ providers: [{ ...core, replicas: 4 }], keys });
        deepStrictEqual(objects(), frozen);
    });
});
