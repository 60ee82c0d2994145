import assert from "node:assert/strict";
import { parseAllDocuments } from "yaml";
import { persistentVolumeObjects } from "../../../../components/storage/persistent-volume-objects";
import { tenantPolicies } from "../../../../provider/admission/tenants";
import type { TenantsSpec } from "../../../../provider/admission/tenants-spec";
import { KubeApi, type KubeObject, makeAccount } from "../../../../provider/vim";
import { pathOf, servedKinds } from "../../../../provider/vim/ownership";
import { until } from "../../../support/eventually";
import { type Attempt, attempts, definitions, ownNamespace, podOf, serviceOf } from "../../../support/tenant";
import { RealApi } from "../nfs-csi/real-api";

const addresses = { controlPlane: "10.99.0.11", worker: "10.99.0.21", api: "10.99.0.100", storage: "10.99.0.31" };
const image = "tools:1";
const spec: TenantsSpec = {
    externalIps: [],
    reserved: [addresses.api, addresses.storage],
    storageServers: [addresses.storage],
    nfsServers: [],
    controlPlaneTaints: [{ key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" }],
};
const root = "/apis/admissionregistration.k8s.io/v1";

/** The real admission and rights of a cluster without nodes. */
describe("the API server, asked with the account that a Vim hands out", () => {
    let api: RealApi;
    let admin: KubeApi;
    let tenant: KubeApi;
    /** An administrator of storage, and of nothing else. */
    let other: KubeApi;
    let driver: KubeApi;

    const as = (bearerToken: string) => new KubeApi(api.access, { bearerToken });
    const tokenOf = async (namespace: string, name: string) => {
        const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}`;
        await admin.apply(path, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } });
        const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
        return (await admin.post<{ status: { token: string } }>(`${path}/token`, request)).status.token;
    };
    const place = async ({ apiVersion, kind, metadata: { name, namespace } }: KubeObject) => {
        const served = (await servedKinds(admin, apiVersion))?.find(each => each.kind === kind);
        assert.ok(served, `${apiVersion} ${kind} is not served`);
        return pathOf({ apiVersion, kind, name, ...(namespace !== undefined && { namespace }) }, served);
    };
    const make = async (by: KubeApi, object: KubeObject, query = "") =>
        by.post((await place(object)).replace(/\/[^/]+$/, query), object);
    const tryOut = (by: KubeApi, object: KubeObject) => make(by, object, "?dryRun=All");
    const refusal = async (by: KubeApi, object: KubeObject) =>
        tryOut(by, object).then(
            () => assert.fail(`allowed: ${JSON.stringify(object)}`),
            (error: Error) => error.message,
        );
    const hold = async (change: Partial<TenantsSpec> = {}) => {
        const objects = parseAllDocuments(tenantPolicies({ ...spec, ...change })).map(each => each.toJS());
        for (const object of objects) {
            const plural = object.kind === "ValidatingAdmissionPolicy" ? "policies" : "policybindings";
            await admin.apply(`${root}/validatingadmission${plural}/${object.metadata.name}`, object);
        }
        const policies = objects.filter(({ kind }) => kind === "ValidatingAdmissionPolicy");
        for (const { metadata } of policies) {
            const path = `${root}/validatingadmissionpolicies/${metadata.name}`;
            const seen = async () => (await admin.get<any>(path)).status;
            await until(30, async () => (await seen())?.typeChecking !== undefined);
            assert.deepEqual((await seen()).typeChecking, {}, metadata.name);
        }
    };
    const byPolicy = ({ refusedBy }: Attempt) => !/PodSecurity|cannot create/.test(refusedBy.source);
    const all = () => attempts({ addresses, controlPlaneNode: "m1", image });
    const nodeOf = (name: string, address: string) => ({
        apiVersion: "v1",
        kind: "Node",
        metadata: { name },
        status: { addresses: [{ type: "InternalIP", address }] },
    });

    before(async () => {
        api = await RealApi.start([
            ...["serviceaccount-controller", "validatingadmissionpolicy-status-controller"],
            "persistentvolume-binder-controller",
        ]);
        admin = api.client;
        for (const [name, address] of [["m1", addresses.controlPlane] as const, ["w1", addresses.worker] as const]) {
            await admin.post("/api/v1/nodes", nodeOf(name, address));
        }
        for (const definition of definitions) await make(admin, definition);
        tenant = as((await makeAccount(admin, {}, 1, "core-1")).token);
        other = as(await tokenOf("default", "other"));
        driver = as(await tokenOf("kube-system", "csi-nfs-controller"));
        const name = "storage-administrator";
        const rbac = "rbac.authorization.k8s.io";
        const resources = ["persistentvolumes", "storageclasses"];
        await make(admin, {
            apiVersion: `${rbac}/v1`,
            kind: "ClusterRole",
            metadata: { name },
            rules: [{ apiGroups: ["", "storage.k8s.io"], resources, verbs: ["*"] }],
        });
        const subjects = [
            { kind: "ServiceAccount", name: "other", namespace: "default" },
            { kind: "ServiceAccount", name: "csi-nfs-controller", namespace: "kube-system" },
        ];
        await make(admin, {
            ...{ apiVersion: `${rbac}/v1`, kind: "ClusterRoleBinding", metadata: { name }, subjects },
            roleRef: { apiGroup: rbac, kind: "ClusterRole", name },
        });
        const ready = `/api/v1/namespaces/${ownNamespace}/serviceaccounts/default`;
        await until(60, async () => (await admin.get(ready)) !== undefined);
        await until(60, () => tryOut(tenant, podOf("plain", image, {})).then(() => true));
    });
    after(() => api?.stop());

    describe("without our policies", () => {
        it("allows each object that only they refuse, so that nothing else refuses it below", async () => {
            for (const { title, object } of all().filter(byPolicy)) {
                // The API server itself knows only this notation.
                if (title.includes("notation")) continue;
                await tryOut(tenant, object).catch(error => assert.fail(`${title}: ${error.message}`));
            }
        });

        it("lets the account say nothing of a Service's load balancer", async () => {
            const status = { loadBalancer: { ingress: [{ ip: addresses.worker }] } };
            const made = await make(tenant, { ...serviceOf("balanced", { type: "LoadBalancer" }), status });
            assert.deepEqual(made["status"], { loadBalancer: {} });
            const path = await place(made);
            const updated = await tenant.merge<KubeObject>(path, { status });
            assert.deepEqual(updated?.["status"], { loadBalancer: {} });
            await assert.rejects(
                tenant.merge(`${path}/status`, { status }),
                /cannot patch resource "services\/status"/,
            );
        });
    });

    describe("with our policies", () => {
        const former = serviceOf("former", { externalIPs: [addresses.worker] }, 8443);
        const formerPod = {
            ...podOf("former", image, { volumes: [{ name: "data", nfs: { server: addresses.storage, path: "/" } }] }),
        };
        before(async () => {
            await make(tenant, former);
            const metadata = { ...formerPod.metadata, finalizers: ["example.com/kept"] };
            await make(tenant, { ...formerPod, metadata });
            await hold();
            // The API server learns of each policy by itself, one after another.
            for (const { object } of all().filter(byPolicy)) {
                await until(30, () =>
                    tryOut(tenant, object).then(
                        () => false,
                        () => true,
                    ),
                );
            }
        });

        it("refuses each way out of the namespace, and says why", async () => {
            for (const { title, object, refusedBy } of all()) {
                assert.match(await refusal(tenant, object), refusedBy, title);
            }
        });

        it("refuses the addresses of the cluster to administrators, too", async () => {
            const [first] = all();
            assert.match(await refusal(admin, first!.object), first!.refusedBy);
        });

        it("lets a load balancer's controller give no address of the API or of the storage server, and any other", async () => {
            const path = `${await place(serviceOf("balanced", {}))}/status`;
            const give = (ip: string) => admin.merge<any>(path, { status: { loadBalancer: { ingress: [{ ip }] } } });
            for (const address of [addresses.api, addresses.storage])
                await assert.rejects(give(address), /status\.loadBalancer must not have/, address);
            // kube-proxy reads it as an IPv4 address. Since 1.36 the API server itself takes no such notation.
            await assert.rejects(give(`::ffff:${addresses.api}`), /status\.loadBalancer/);
            assert.equal((await give("192.0.2.9")).status.loadBalancer.ingress[0].ip, "192.0.2.9");
        });

        it("allows what network functions need", async () => {
            const volumes = [
                { name: "a", emptyDir: {} },
                { name: "b", configMap: { name: "b" } },
                { name: "c", secret: { secretName: "c" } },
                { name: "d", persistentVolumeClaim: { claimName: "d" } },
                { name: "e", downwardAPI: {} },
                { name: "f", projected: { sources: [] } },
                { name: "g", csi: { driver: "example.com" } },
                { name: "h" },
            ];
            const tolerations = [
                { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
                { key: "pool", operator: "Exists" },
            ];
            await tryOut(tenant, podOf("ordinary", image, { volumes, tolerations }));
            await tryOut(tenant, serviceOf("ordinary", { type: "NodePort" }));
            await tryOut(tenant, serviceOf("ordinary", { type: "LoadBalancer" }));
        });

        it("lets add-ons be in namespaces that do not guard their nodes anyway", async () => {
            const { metadata, ...pod } = podOf("add-on", image, {
                priorityClassName: "system-node-critical",
                tolerations: [{ operator: "Exists" }],
                volumes: [{ name: "data", nfs: { server: addresses.storage, path: "/" } }],
            });
            for (const namespace of ["kube-system", "default"]) {
                await tryOut(admin, { ...pod, metadata: { ...metadata, namespace } });
            }
        });

        it("leaves what was there before: it can be changed and ended, and gets no more", async () => {
            const service = await place(former);
            await tenant.merge(service, { metadata: { labels: { changed: "yes" } } });
            const more = { spec: { externalIPs: [addresses.worker, addresses.controlPlane] } };
            await assert.rejects(tenant.merge(service, more), /tenants\.externalIps/);
            await tenant.merge(service, { spec: { externalIPs: null } });
            await assert.rejects(tenant.merge(service, { spec: { externalIPs: [addresses.worker] } }), /externalIPs/);
            const pod = await place(formerPod);
            await tenant.delete(pod);
            await tenant.merge(pod, { metadata: { finalizers: null } });
            await until(30, async () => (await admin.get(pod)) === undefined);
        });

        it("gives a pod that waits no tolerations of control-plane nodes, and judges no pod by the node that it got", async () => {
            const waiting = podOf("waiting", image, { nodeSelector: { "kubernetes.io/hostname": "m1" } });
            const { spec: made } = (await make(tenant, waiting)) as { spec?: { tolerations: object[] } };
            const path = await place(waiting);
            const tolerating = (more: object) => ({ spec: { tolerations: [...made!.tolerations, more] } });
            await assert.rejects(
                tenant.merge(path, tolerating({ key: "node-role.kubernetes.io/control-plane", operator: "Exists" })),
                /spec\.tolerations/,
            );
            await tenant.merge(path, tolerating({ key: "pool", operator: "Exists" }));
            await admin.post(`${path}/binding`, {
                ...{ apiVersion: "v1", kind: "Binding", metadata: { name: "waiting" } },
                target: { apiVersion: "v1", kind: "Node", name: "w1" },
            });
            await tenant.merge(path, { metadata: { labels: { changed: "yes" } } });
        });

        it("gives a volume that the program keeps for a claim to no other one, whichever comes first", async () => {
            const server = { address: addresses.storage, serves: () => true, nfs3: false };
            const typed = { path: "/exports/data", capacityGiB: 1, claim: "default/data" };
            const { kept } = persistentVolumeObjects({ kept: typed }, {}, server);
            await make(admin, kept!);
            const claim = (namespace: string): KubeObject => ({
                apiVersion: "v1",
                kind: "PersistentVolumeClaim",
                metadata: { name: "data", namespace },
                spec: {
                    ...{ storageClassName: "", volumeName: "kept", accessModes: ["ReadWriteMany"] },
                    resources: { requests: { storage: "1Gi" } },
                },
            });
            const phase = async (namespace: string) =>
                (await admin.get<any>(await place(claim(namespace)))).status.phase;
            await make(tenant, claim(ownNamespace));
            await make(admin, claim("default"));
            await until(30, async () => (await phase("default")) === "Bound");
            assert.equal(await phase(ownNamespace), "Pending");
        });

        it("lets only the program and its driver make volumes and classes for the storage server", async () => {
            const volume = (source: object): KubeObject => ({
                apiVersion: "v1",
                kind: "PersistentVolume",
                metadata: { name: "all" },
                spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteMany"], ...source },
            });
            const nfs = (server: string) => volume({ nfs: { server, path: "/exports" } });
            const csi = (volumeHandle: string, attribute: string, server: string) =>
                volume({
                    csi: {
                        driver: "nfs.csi.k8s.io",
                        volumeHandle,
                        volumeAttributes: { [attribute]: server, share: "/" },
                    },
                });
            const storageClass = (server: string): KubeObject => ({
                apiVersion: "storage.k8s.io/v1",
                kind: "StorageClass",
                metadata: { name: "all" },
                provisioner: "nfs.csi.k8s.io",
                parameters: { Server: server, share: "/exports" },
            });
            const ours = [
                nfs(addresses.storage),
                nfs("10.99.31"),
                nfs("0x0a63001f"),
                nfs("10.99.0.037"),
                csi("a", "server", addresses.storage),
                csi("a", "SERVER", addresses.storage),
                csi(`${addresses.storage}#exports#a##`, "server", "filer.site"),
                storageClass(addresses.storage),
            ];
            for (const object of ours) {
                assert.match(await refusal(other, object), /only the program of this cluster/, JSON.stringify(object));
                await tryOut(admin, object);
                await tryOut(driver, object);
            }
            const theirs = [nfs("10.99.0.32"), nfs("filer.site"), csi("a", "server", "10.99.0.32")];
            const local = volume({ hostPath: { path: "/data" } });
            const plain = { ...storageClass(""), provisioner: "example.com/a", parameters: undefined };
            for (const object of [...theirs, local, storageClass("filer.site"), plain]) await tryOut(other, object);
        });
    });

    describe("with what the program allows", () => {
        before(async () => {
            await hold({
                externalIps: ["10.99.0.0/24", "2001:db8::7"],
                nfsServers: ["filer.site"],
                controlPlaneTaints: [],
            });
            await until(30, () =>
                tryOut(tenant, serviceOf("a", { externalIPs: ["10.99.0.200"] })).then(
                    () => true,
                    () => false,
                ),
            );
        });

        it("allows the addresses that it lists, and still none of a node, of the API or of the storage server", async () => {
            await tryOut(tenant, serviceOf("a", { externalIPs: ["10.99.0.200"] }));
            await tryOut(tenant, serviceOf("a", { externalIPs: ["2001:db8::7"], ipFamilyPolicy: "PreferDualStack" }));
            assert.match(
                await refusal(tenant, serviceOf("a", { externalIPs: ["10.98.0.1"] })),
                /lists: 10\.99\.0\.0\/24/,
            );
            for (const address of [addresses.api, addresses.storage])
                assert.match(await refusal(admin, serviceOf("a", { externalIPs: [address] })), /of the storage server/);
            for (const address of [addresses.controlPlane, addresses.worker])
                assert.match(await refusal(admin, serviceOf("a", { externalIPs: [address] })), /an address of a node/);
        });

        it("knows a node that joined since", async () => {
            await admin.post("/api/v1/nodes", nodeOf("w2", "10.99.0.22"));
            const late = serviceOf("a", { externalIPs: ["10.99.0.22"] });
            await until(30, () =>
                tryOut(tenant, late).then(
                    () => false,
                    () => true,
                ),
            );
            assert.match(await refusal(tenant, late), /an address of a node/);
        });

        it("allows volumes of the servers that it lists, and control-plane nodes", async () => {
            const nfs = (server: string) => ({ volumes: [{ name: "data", nfs: { server, path: "/" } }] });
            await tryOut(tenant, podOf("a", image, nfs("filer.site")));
            assert.match(
                await refusal(tenant, podOf("a", image, nfs("filer.site."))),
                /tenants\.nfsServers: filer\.site/,
            );
            await tryOut(tenant, podOf("a", image, { nodeName: "m1", tolerations: [{ operator: "Exists" }] }));
        });
    });
});
