import assert from "node:assert/strict";
import {
    type WorkloadRolloutInputs,
    workloadRollout,
} from "../../../../../provider/cluster-api/workload/workload-rollout";
import { workloadPauses } from "../../../../../provider/cluster-api/workload/workload-watch";
import { endRun, listener, withGivenUp } from "../../support/cluster";
import { FakeApi } from "../../vim/fake-api";

const core = "/apis/cluster.x-k8s.io/v1beta2/namespaces/default";
const clusterPath = `${core}/clusters/w1`;
const base64 = (text: string) => Buffer.from(text).toString("base64");
const kubeconfig = `clusters: [{cluster: {server: "https://172.24.4.10:6443", certificate-authority-data: ${base64("ca")}}}]
users: [{user: {client-certificate-data: ${base64("certificate")}, client-key-data: ${base64("canary-key")}}}]
`;

const secret = "Secret w1-cloud-config, cloud openstack";
const identity = "OpenStackClusterIdentity cloud, cloud openstack";
const kept = {
    network: { podCidr: ["10.244.0.0/16"], serviceCidr: ["10.96.0.0/16"], dnsDomain: "cluster.local" },
    login: secret,
    logins: [secret],
};

describe("the rollout of a workload cluster", () => {
    let api: FakeApi;
    const inputs = (changes: Partial<WorkloadRolloutInputs> = {}): WorkloadRolloutInputs => ({
        access: { endpoint: api.endpoint, caCertificate: api.ca, auth: { bearerToken: "admin-token" } },
        clusterId: "core-1",
        namespace: "default",
        clusterName: "w1",
        roles: {},
        objectsHash: "a",
        paused: false,
        kept,
        timeoutSeconds: 1,
        ...changes,
    });
    const cluster = (available: string, more: object = {}) => ({
        kind: "Cluster",
        metadata: { name: "w1", uid: "uid-w1", generation: 1, ...more },
        status: { conditions: [{ type: "Available", status: available, observedGeneration: 1, message: "* not yet" }] },
    });
    const isThere = (available = "True") => {
        api.objects.set(clusterPath, cluster(available));
        api.objects.set("/api/v1/namespaces/default/secrets/w1-kubeconfig", { data: { value: base64(kubeconfig) } });
    };
    const made = async () => {
        isThere();
        return (await workloadRollout.create(inputs(), listener())).outs;
    };

    beforeEach(async () => {
        workloadPauses.seconds = 0.05;
        api = await FakeApi.start();
    });
    afterEach(async () => {
        await endRun();
        await api.stop();
    });

    it("waits until the cluster is ready, tells what it waits for and the end of that, and reads the access", async () => {
        isThere("False");
        setTimeout(() => isThere(), 300);
        const context = listener();
        const { id, outs } = await workloadRollout.create(inputs(), context);
        assert.equal(id, "default/w1");
        assert.deepEqual(
            [outs.endpoint, outs.caCertificate, outs.clientCertificate, outs.clientKey],
            ["https://172.24.4.10:6443", "ca", "certificate", "canary-key"],
        );
        assert.deepEqual(context.said, ["Cluster w1 is not Available: not yet", "all machines are ready"]);
        assert.equal(outs.uid, "uid-w1");
    });

    it("that takes too long fails with what hinders, and is kept: a destroy removes the cluster, the next run waits again", async () => {
        isThere("False");
        const failed = (await workloadRollout.create(inputs(), listener()).catch(error => error)) as Error & {
            id: string;
            properties: any;
        };
        assert.match(failed.message, /WORKLOAD_NOT_READY[\s\S]*Cluster w1: Available is False: not yet/);
        assert.equal(failed.id, "default/w1");
        assert.equal(failed.properties.uid, "uid-w1");
        assert.equal(workloadRollout.diff(failed.id, failed.properties, inputs()).changes, true);
    });

    it("names the input that is missing where its nodes have no pod network", async () => {
        const message = "* Node.Ready: Network plugin returns error: cni plugin not initialized";
        const conditions = [{ type: "Available", status: "False", observedGeneration: 1, message }];
        api.objects.set(clusterPath, { ...cluster("False"), status: { conditions } });
        await assert.rejects(
            workloadRollout.create(inputs(), listener()),
            /cni plugin not initialized[\s\S]*give it as addOns[\s\S]*Cluster API goes on by itself/,
        );
    });

    it("goes on while the management cluster does not answer for a moment", async () => {
        isThere();
        api.notYet = 4;
        await workloadRollout.create(inputs({ timeoutSeconds: 20 }), listener());
    });

    it("does not wait while the cluster is paused", async () => {
        isThere("False");
        assert.equal((await workloadRollout.create(inputs({ paused: true }), listener())).outs.uid, "uid-w1");
    });

    it("follows a renewed kubeconfig at a refresh, and finds a cluster that somebody removed or made again", async () => {
        const state = await made();
        const renewed = kubeconfig.replace(base64("certificate"), base64("renewed"));
        api.objects.set("/api/v1/namespaces/default/secrets/w1-kubeconfig", { data: { value: base64(renewed) } });
        assert.equal((await workloadRollout.read("default/w1", state, listener())).props?.clientCertificate, "renewed");
        api.objects.set(clusterPath, { ...cluster("True"), metadata: { name: "w1", uid: "other" } });
        assert.deepEqual(await workloadRollout.read("default/w1", state, listener()), {});
        api.objects.delete(clusterPath);
        assert.deepEqual(await workloadRollout.read("default/w1", state, listener()), {});
    });

    it("keeps the access that it knows while its Secret is missing: Cluster API makes it again", async () => {
        const state = await made();
        api.objects.delete("/api/v1/namespaces/default/secrets/w1-kubeconfig");
        assert.deepEqual((await workloadRollout.read("default/w1", state, listener())).props, state);
        assert.deepEqual((await workloadRollout.update("default/w1", state, inputs(), listener())).outs, state);
        isThere("False");
        const run = workloadRollout.update("default/w1", state, inputs(), listener());
        const failed = (await run.catch(error => error)) as { properties: typeof state };
        assert.deepEqual(failed.properties, { ...state, objectsHash: "" });
    });

    it("that somebody has paused is not deleted: Cluster API would never remove it", async () => {
        const state = await made();
        api.objects.set(clusterPath, { ...cluster("True"), spec: { paused: true } });
        await assert.rejects(
            () => workloadRollout.delete("default/w1", state, listener()),
            /WORKLOAD_NOT_READY[\s\S]*is paused[\s\S]*NFV_GIVE_UP=core-1/,
        );
        assert.equal(api.objects.has(clusterPath), true);
    });

    describe("of what its machines keep", () => {
        const checked = async (news: Partial<typeof kept>, olds: Partial<WorkloadRolloutInputs> = {}) => {
            const [before, after] = [inputs(olds), inputs({ kept: { ...kept, ...news } })];
            if (!workloadRollout.needsCheckInCloud!(before, after)) return "";
            return (await workloadRollout.checkInCloud!(before, after, listener())).failures[0]?.reason ?? "";
        };
        const network = { ...kept.network, podCidr: ["10.0.0.0/16"] };
        const machine = `${core}/machines/w1-md-a`;
        beforeEach(() => api.objects.set(machine, { metadata: { name: "w1-md-a" } }));

        it("refuses another network and a login that would go, as long as it has machines", async () => {
            assert.match(await checked({ network }), /network\.podCidr cannot change from 10\.244\.0\.0\/16 to 10\.0/);
            assert.match(
                await checked({ login: undefined, logins: [] }),
                /"Secret w1-cloud-config, cloud openstack" c/,
            );
            api.objects.delete(machine);
            assert.equal(await checked({ network }), "");
            api.tokens.clear();
            assert.match(await checked({ network }), /cannot change/);
        });

        it("allows a login besides the one that machines have, and another cluster", async () => {
            assert.equal(await checked({ login: identity, logins: [secret, identity] }), "");
            assert.match(
                await checked({}, { kept: { ...kept, login: identity, logins: [secret, identity] } }),
                /OpenStackClusterIdentity cloud/,
            );
            assert.equal(await checked({ network }, { clusterName: "w2" }), "");
            assert.equal(await checked({}, { kept: undefined as never }), "");
        });
    });

    describe("of what cannot change at all", () => {
        const refused = async (olds: Partial<WorkloadRolloutInputs>, news: Partial<WorkloadRolloutInputs>) => {
            const [before, after] = [inputs(olds), inputs(news)];
            if (!workloadRollout.needsCheckInCloud!(before, after)) return "";
            const { failures } = await workloadRollout.checkInCloud!(before, after, listener());
            return failures.map(({ reason }) => reason).join();
        };
        const network = (id: string) => ({ fixed: { "OpenStackCluster w1: network": `{"id":"${id}"}` } });
        const version = (of: string) => ({
            roles: { "control-plane": { version: of, servers: "a", config: "b", replicas: 1 } },
        });
        const master = {
            metadata: { name: "w1-control-plane-a", labels: { "cluster.x-k8s.io/control-plane": "" } },
            spec: { version: "v1.34.4" },
        };

        it("refuses what CAPO's webhooks refuse, as long as the cluster is there", async () => {
            assert.equal(await refused(network("a"), network("b")), "");
            isThere();
            assert.match(
                await refused(network("a"), network("b")),
                /network cannot change[\s\S]*provider of Cluster API/,
            );
            api.tokens.clear();
            assert.match(await refused(network("a"), network("b")), /network cannot change/);
        });

        it("refuses another pod network than the one that its machines have", async () => {
            isThere();
            api.objects.set(`${core}/machines/w1-md-a`, { metadata: { name: "w1-md-a" } });
            const cni = (name: string) => ({ kept: { ...kept, cni: name } });
            assert.match(
                await refused(cni("bridge"), cni("flannel")),
                /network\.cni cannot change from bridge to flan/,
            );
            assert.equal(await refused({ kept }, cni("flannel")), "");
        });

        it("refuses a version that machines of the control plane cannot get; those of pools do not count", async () => {
            isThere();
            api.objects.set(`${core}/machines/w1-control-plane-a`, master);
            const worker = { metadata: { name: "w1-md-a" }, spec: { version: "v1.33.1" } };
            api.objects.set(`${core}/machines/w1-md-a`, worker);
            assert.match(await refused(version("v1.34.4"), version("v1.33.4")), /cannot go back to 1\.33\.4/);
            assert.match(await refused(version("v1.34.4"), version("v1.36.0")), /first to 1\.35/);
            assert.equal(await refused(version("v1.34.4"), version("v1.35.0")), "");
            // A run that failed has noted a version that no machine got.
            assert.equal(await refused(version("v1.35.0"), version("v1.34.4")), "");
        });
    });

    it("keeps the state where the management cluster cannot be asked: that is not gone", async () => {
        const state = await made();
        api.tokens.clear();
        const context = listener();
        assert.deepEqual((await workloadRollout.read("default/w1", state, context)).props, state);
        assert.match(context.warned.join(), /kept as it was/);
    });

    it("is removed with its Cluster, which is awaited; one of that name that others made stays", async () => {
        const state = await made();
        await workloadRollout.delete("default/w1", state, listener());
        assert.equal(api.objects.has(clusterPath), false);
        api.objects.set(clusterPath, { ...cluster("True"), metadata: { name: "w1", uid: "other" } });
        await workloadRollout.delete("default/w1", state, listener());
        assert.equal(api.objects.has(clusterPath), true);
    });

    it("is not removed while other clusters use the identity that would go with it", async () => {
        const shared = { type: "ClusterIdentity", name: "cloud" };
        const user = (namespace: string, name: string, identityRef: object) => ({
            metadata: { namespace, name },
            spec: { identityRef },
        });
        const others = [
            user("default", "w1", shared),
            user("default", "w2", { type: "Secret", name: "cloud" }),
            user("default", "w3", { ...shared, name: "other" }),
        ];
        const path = "/apis/infrastructure.cluster.x-k8s.io/v1beta1/openstackclusters";
        api.objects.set(path, { items: [...others, user("b", "w1", shared)] });
        const state = { ...(await made()), ownIdentity: "cloud" };
        const gone = () => workloadRollout.delete("default/w1", state, listener());
        await assert.rejects(gone, /CLUSTER_IN_USE[\s\S]*OpenStackClusterIdentity "cloud"[\s\S]*use it: b\/w1\n/);
        assert.equal(api.objects.has(clusterPath), true);
        api.objects.set(path, { items: others });
        await gone();
        assert.equal(api.objects.has(clusterPath), false);
    });

    it("is not forgotten where its management cluster does not answer, unless a person gives it up by name", async () => {
        const state = await made();
        api.tokens.clear();
        const refused = (await workloadRollout.delete("default/w1", state, listener()).catch(error => error)) as Error;
        assert.match(refused.message, /NFV_GIVE_UP=core-1\/workload:w1/);
        await withGivenUp("core-1/workload:w1", async () => {
            const context = listener();
            await workloadRollout.delete("default/w1", state, context);
            assert.match(context.warned.join(), /may still be in the cloud/);
        });
    });
});
