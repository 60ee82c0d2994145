import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import type { ProviderSpec } from "../../../../provider/cluster-api";
import {
    type ClusterApiProviderInput,
    type ClusterApiProvidersInputs,
    clusterApiProviders,
} from "../../../../provider/cluster-api/cluster-api-providers";
import { ownerOf, withOwner } from "../../../../provider/vim/ownership";
import { endRun, listener, withGivenUp } from "../support/cluster";
import { FakeApi } from "../vim/fake-api";
import { samples } from "./sample-components";

const deploymentPath = "/apis/apps/v1/namespaces/capi-system/deployments/capi-controller-manager";
const clustersPath = "/apis/cluster.x-k8s.io/v1beta2/clusters";

describe("the providers of Cluster API", () => {
    let api: FakeApi;
    let folder: string;

    const provider = ({ components, ...rest }: ProviderSpec, version = rest.version): ClusterApiProviderInput => {
        const componentsFile = path.join(folder, `${rest.name}.yaml`);
        writeFileSync(componentsFile, components);
        return { ...rest, version, componentsFile, componentsHash: version };
    };
    const inputs = (changes: Partial<ClusterApiProvidersInputs> = {}): ClusterApiProvidersInputs => ({
        name: "management",
        owner: "management-1",
        clusterId: "core-1",
        serverVersion: "v1.34.4",
        access: { endpoint: api.endpoint, caCertificate: api.ca, auth: { bearerToken: "admin-token" } },
        providers: [provider(samples.core)],
        timeoutSeconds: 1,
        ...changes,
    });
    /** The fake stores what is applied; a cluster would set the status. */
    const pods = (available: number) => {
        const set = () => {
            for (const [at, object] of api.objects) {
                if (!at.includes("/deployments/")) continue;
                api.objects.set(at, {
                    ...object,
                    spec: { replicas: 1 },
                    status: { replicas: 1, updatedReplicas: 1, availableReplicas: available },
                });
            }
        };
        const timer = setInterval(set, 20);
        return () => clearInterval(timer);
    };
    const made = async (changes: Partial<ClusterApiProvidersInputs> = {}) => {
        const stop = pods(1);
        try {
            return (await clusterApiProviders.create(inputs(changes), listener())).outs;
        } finally {
            stop();
        }
    };

    beforeEach(async () => {
        folder = mkdtempSync(path.join(os.tmpdir(), "nfv-capi-"));
        api = await FakeApi.start();
        api.objects.set(clustersPath, { items: [] });
    });
    afterEach(async () => {
        await endRun();
        await api.stop();
        rmSync(folder, { recursive: true });
    });

    it("are installed with our mark, one after the other, each awaited", async () => {
        const state = await made({ providers: [provider(samples.openstack), provider(samples.core)] });
        assert.deepEqual(Object.keys(state.objects), ["inventory", "cluster-api", "infrastructure-openstack"]);
        assert.deepEqual(state.versions, { "cluster-api": "v1.13.6", "infrastructure-openstack": "v0.14.7" });
        assert.equal(ownerOf(api.objects.get(deploymentPath) as never), "management-1");
        const applied = api.seen.filter(({ method }) => method === "PATCH").map(({ path: at }) => at);
        assert.ok(applied.indexOf(deploymentPath) < applied.findIndex(at => at.includes("capo-system")));
        assert.ok(Date.parse(state.renewalDue) > Date.now());
    });

    it("whose pods do not come are an error with what the pods say; what is there is kept", async () => {
        const stop = pods(0);
        const waiting = { state: { waiting: { reason: "ImagePullBackOff", message: "no such image" } } };
        api.objects.set("/api/v1/namespaces/capi-system/pods/a", {
            metadata: { name: "a" },
            status: { containerStatuses: [waiting] },
        });
        const failed = await clusterApiProviders.create(inputs(), listener()).catch(error => error);
        stop();
        assert.match(failed.message, /PROVIDER_NOT_READY[\s\S]*pod a: ImagePullBackOff: no such image/);
        assert.equal(failed.properties.pending, true);
        assert.equal(clusterApiProviders.diff(failed.id, failed.properties, inputs()).changes, true);
    });

    it("are made again after a run that was killed, whose keys no state has: the API server trusts the pods' former certificates, too", async () => {
        const killed = await made();
        const state = await made();
        assert.notEqual(state.keys.authority.certificate, killed.keys.authority.certificate);
        const trusted = () => {
            const path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/capi-validating";
            const { webhooks } = api.objects.get(path) as { webhooks: { clientConfig: { caBundle: string } }[] };
            return Buffer.from(webhooks[0]!.clientConfig.caBundle, "base64").toString();
        };
        assert.equal(trusted(), state.keys.authority.certificate + killed.keys.authority.certificate);
        // Once more: all three.
        const third = await made();
        const all = [third, state, killed].map(({ keys }) => keys.authority.certificate);
        assert.deepEqual(
            trusted()
                .match(/-----BEGIN[^-]*-----[^-]*-----END[^-]*-----\n/g)!
                .sort(),
            all.sort(),
        );
        const stop = pods(1);
        const { outs } = await clusterApiProviders.update("id", third, inputs({ timeoutSeconds: 2 }), listener());
        stop();
        assert.deepEqual(outs.keys, third.keys);
    });

    it("of somebody else are not touched: refused at preview and at the run", async () => {
        const theirs = { apiVersion: "v1", kind: "Namespace", metadata: { name: "capi-system" } };
        api.objects.set("/api/v1/namespaces/capi-system", withOwner(theirs, "another"));
        const { failures } = await clusterApiProviders.checkInCloud!({}, inputs(), listener());
        assert.match(failures[0]!.reason, /NOT_OURS[\s\S]*Namespace capi-system[\s\S]*managementVim/);
        await assert.rejects(clusterApiProviders.create(inputs(), listener()), /NOT_OURS/);
        assert.equal(
            api.seen.some(({ method }) => method !== "GET"),
            false,
        );
    });

    it("that do not fit the cluster's Kubernetes are refused before anything is asked", () => {
        const { failures } = clusterApiProviders.check({}, inputs({ serverVersion: "v1.29.1" }));
        assert.match(failures![0]!.reason, /does not run on Kubernetes 1\.29\.1/);
    });

    it("are a change when a version, a setting or a certificate's time says so, not when the file lies elsewhere", async () => {
        const state = await made();
        const change = (news: Partial<ClusterApiProvidersInputs>, olds = {}) =>
            clusterApiProviders.diff("id", { ...state, ...olds }, inputs(news));
        assert.equal(change({}).changes, false);
        assert.equal(
            change({ providers: [{ ...provider(samples.core), componentsFile: "/elsewhere" }] }).changes,
            false,
        );
        assert.equal(change({ providers: [{ ...provider(samples.core), replicas: 2 }] }).changes, true);
        const due = change({}, { renewalDue: "2020-01-01T00:00:00Z" });
        assert.equal(due.changes, true);
        assert.match(due.note!, /are due since 2020/);
    });

    it("have the values of their variables; another value is a change", async () => {
        const variables = { "cluster-api": { SYNC: "3m" } };
        const state = await made({ variables });
        const applied = api.seen
            .filter(({ path: at }) => at === deploymentPath)
            .map(({ body }) => JSON.stringify(body));
        assert.match(applied.join(), /--sync-period=3m/);
        const change = (news: Partial<ClusterApiProvidersInputs>) =>
            clusterApiProviders.diff("id", state, inputs({ variables, ...news })).changes;
        assert.deepEqual([change({}), change({ variables: { "cluster-api": { SYNC: "4m" } } })], [false, true]);
    });

    it("keep their keys at an update, and remove what a provider has no more", async () => {
        const state = await made({ providers: [provider(samples.core), provider(samples.openstack)] });
        const stop = pods(1);
        const { outs } = await clusterApiProviders.update("id", state, inputs(), listener());
        stop();
        assert.deepEqual(outs.keys.authority, state.keys.authority);
        assert.equal(
            api.objects.has("/apis/apps/v1/namespaces/capo-system/deployments/capo-controller-manager"),
            false,
        );
        assert.ok(api.objects.has("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.capo.test"));
    });

    it("are not taken out while their kinds have objects; nothing is touched", async () => {
        const state = await made({ providers: [provider(samples.core), provider(samples.openstack)] });
        const things = "/apis/capo.test/v1alpha1/things";
        api.objects.set(things, { items: [{ metadata: { name: "site" } }] });
        const before = [...api.objects];
        await assert.rejects(
            clusterApiProviders.update("id", state, inputs(), listener()),
            /CLUSTER_IN_USE[\s\S]*of its kinds: things\.capo\.test/,
        );
        assert.deepEqual([...api.objects], before);
    });

    it("that a refresh does not find are applied again by the next run", async () => {
        const state = await made();
        api.objects.delete(deploymentPath);
        const context = listener();
        const { props } = await clusterApiProviders.read("id", state, context);
        assert.match(context.warned.join(), /missing in the cluster: Deployment capi-controller-manager/);
        assert.equal(clusterApiProviders.diff("id", props!, inputs()).changes, true);
    });

    it("are not removed while workload clusters exist; their names are said", async () => {
        const state = await made();
        api.objects.set(clustersPath, { items: [{ metadata: { namespace: "sites", name: "w1" } }] });
        const refused = (await clusterApiProviders.delete("id", state, listener()).catch(error => error)) as Error;
        assert.match(refused.message, /CLUSTER_IN_USE[\s\S]*sites\/w1/);
        assert.ok(api.objects.has(deploymentPath));
    });

    it("are removed with all that is ours", async () => {
        const { objects, ...rest } = await made({ providers: [provider(samples.core), provider(samples.bootstrap)] });
        // As the state gives it back: with sorted keys.
        const sorted = Object.fromEntries(Object.entries(objects).sort(([a], [b]) => (a < b ? -1 : 1)));
        await clusterApiProviders.delete("id", { ...rest, objects: sorted }, listener());
        const removed = api.seen.filter(({ method }) => method === "DELETE").map(({ path: at }) => at);
        const first = (part: string) => removed.findIndex(at => at.includes(part));
        assert.ok(first("boot-system") < first("capi-system"));
        assert.match(removed.at(-1)!, /customresourcedefinitions\/providers\.clusterctl/);
        const left = [...api.objects.keys()].filter(at => at !== clustersPath);
        assert.deepEqual(left, []);
    });

    it("leave a kind of which somebody has objects, also where its group prefers a version that the kind does not have", async () => {
        const state = await made({ providers: [provider(samples.core), provider(samples.openstack)] });
        api.objects.set("/apis/capo.test", { versions: [{ version: "v1beta1" }, { version: "v1alpha1" }] });
        api.objects.set("/apis/capo.test/v1alpha1/things", { items: [{ metadata: { name: "theirs" } }] });
        const context = listener();
        await clusterApiProviders.delete("id", state, context);
        assert.match(context.warned.join(), /CustomResourceDefinition things\.capo\.test stays: the cluster has 1 obj/);
        assert.ok(api.objects.has("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.capo.test"));
    });

    it("are not forgotten where the cluster does not answer, unless a person gives them up", async () => {
        const state = await made();
        api.tokens.clear();
        await assert.rejects(
            clusterApiProviders.delete("id", state, listener()),
            /NFV_GIVE_UP=core-1\/management:management/,
        );
        await withGivenUp("core-1/management:management", () => clusterApiProviders.delete("id", state, listener()));
    });
});
