import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import {
    newWebhookKeys,
    type ProviderSpec,
    type ProviderType,
    providerObjects,
    readComponents,
} from "../../../provider/cluster-api";
import { addOns } from "../../../tools/oci/add-on-images";
import { needsTool, toolOrReason } from "../../support/needs-tool";
import { skipIf } from "../../support/skip";

/** The components of the providers as a bundle has them, made from the real sources: of OpenStack's provider, too, where it is at hand. */
describe("the components of Cluster API's providers in a bundle", () => {
    let providers: ProviderSpec[];
    let noOpenstack: string | undefined;
    const names = [
        ["core", "cluster-api"],
        ["bootstrap", "kubeadm"],
        ["controlPlane", "kubeadm"],
        ["infrastructure", "openstack"],
    ] as [ProviderType, string][];

    before(async function () {
        // Where no source has them, Cluster API's programs are built.
        this.timeout("30m");
        const openstack = await toolOrReason("cluster-api-openstack");
        noOpenstack = typeof openstack === "string" ? openstack : undefined;
        const tools = [await needsTool(this, "cluster-api"), ...(typeof openstack === "string" ? [] : [openstack])];
        const files = Object.assign({}, ...tools.map(tool => tool.files));
        const parts = { files, kubectl: (await needsTool(this, "kubernetes")).programs["kubectl"]! };
        const made = await Promise.all(
            tools.map(({ tool }) =>
                addOns[tool.name as "cluster-api" | "cluster-api-openstack"].manifests!.make(parts),
            ),
        );
        providers = made.flat().map(({ version, text }, i) => {
            const [type, name] = names[i]!;
            return { type, name, version, components: text };
        });
    });

    const all = async () => providerObjects({ providers, keys: await newWebhookKeys(providers) });

    it("are those of all four", function () {
        skipIf(this, noOpenstack);
        strictEqual(providers.length, 4);
    });

    it("are read in a moment, though they have megabytes", () => {
        const started = performance.now();
        const definitions = providers
            .map(spec => readComponents(spec))
            .map(list => list.filter(({ kind }) => kind === "CustomResourceDefinition"));
        deepStrictEqual(
            definitions.map(({ length }) => length),
            [13, 2, 2, 8].slice(0, providers.length),
        );
        ok(performance.now() - started < 3000, `${performance.now() - started} ms`);
    });

    it("have the contracts on the definitions of the providers", async () => {
        const labelsOf = (objects: object[]) =>
            objects
                .map((object: any) => object.metadata)
                .filter(({ name }) => /\.(bootstrap|controlplane|infrastructure)\.cluster\.x-k8s\.io$/.test(name))
                .map(({ labels }) => [labels["cluster.x-k8s.io/v1beta1"], labels["cluster.x-k8s.io/v1beta2"]]);
        const [, ...others] = await all();
        for (const { label, objects } of others) {
            const found = labelsOf(objects);
            ok(found.length >= 2, label);
            const wanted = label === "infrastructure-openstack" ? ["v1beta1", undefined] : ["v1beta1", "v1beta2"];
            for (const each of found) deepStrictEqual(each, wanted, label);
        }
    });

    it("name the images that the bundle has", async () => {
        const programs = new Proxy({}, { get: (_, name) => `/p/${String(name)}` }) as Record<string, string>;
        const images = await addOns["cluster-api"].images(programs, () => {});
        const given = (await all()).flatMap(({ objects }) =>
            (objects as any[])
                .flatMap(object => object.spec?.template?.spec.containers ?? [])
                .map(({ image }) => image),
        );
        deepStrictEqual(
            given.slice(0, 3),
            images.map(({ name }) => name),
        );
        strictEqual(given.length, providers.length);
        if (noOpenstack !== undefined) return;
        match(given[3], /^registry\.k8s\.io\/capi-openstack\/capi-openstack-controller:v\d/);
    });

    it("have webhooks and conversions that all lead to a Service of the provider and trust our authority", async () => {
        const calls: Record<string, number> = {};
        for (const { label, namespace, objects } of await all()) {
            const service = objects.find(({ kind }) => kind === "Service")!;
            const configs = (objects as any[]).flatMap(object => [
                ...(object.webhooks ?? []).map((webhook: any) => webhook.clientConfig),
                ...(object.kind === "CustomResourceDefinition" && object.spec.conversion
                    ? [object.spec.conversion.webhook.clientConfig]
                    : []),
            ]);
            for (const config of configs) {
                deepStrictEqual([config.service.name, config.service.namespace], [service.metadata.name, namespace]);
                ok(config.caBundle);
            }
            calls[label] = configs.length;
        }
        deepStrictEqual(calls, {
            "cluster-api": 34,
            "bootstrap-kubeadm": 5,
            "control-plane-kubeadm": 6,
            ...(noOpenstack === undefined && { "infrastructure-openstack": 9 }),
        });
    });

    it("select the manager's pods, and run it under an account that has the rights", async () => {
        for (const { label, namespace, objects } of await all()) {
            const of = (kind: string) => objects.find(object => object.kind === kind) as any;
            const pod = of("Deployment").spec.template;
            for (const selector of [of("Service").spec.selector, of("Deployment").spec.selector.matchLabels]) {
                for (const [key, value] of Object.entries(selector))
                    strictEqual(pod.metadata.labels[key], value, label);
            }
            strictEqual(pod.spec.serviceAccountName, of("ServiceAccount").metadata.name);
            for (const kind of ["ClusterRoleBinding", "RoleBinding"]) {
                const { subjects, roleRef } = of(kind);
                deepStrictEqual(subjects, [{ kind: "ServiceAccount", name: pod.spec.serviceAccountName, namespace }]);
                ok(
                    objects.some(object => object.kind === roleRef.kind && object.metadata.name === roleRef.name),
                    label,
                );
            }
            const [mount] = pod.spec.volumes;
            strictEqual(mount.secret.secretName, of("Secret").metadata.name);
        }
    });
});
