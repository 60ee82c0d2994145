import assert from "node:assert/strict";
import { type GuardQuestion, inUse, usersOf, type VolumesInCluster } from "../../../../provider/storage/storage-users";
import { runClockFast } from "../../../support/fast-clock";
import { FakeApi } from "../vim/fake-api";

const volume = (name: string, path: string, bound = true, server = "10.0.0.31") => ({
    metadata: { name },
    spec: { nfs: { server, path }, ...(bound && { claimRef: { namespace: "web", name: `claim-${name}` } }) },
    status: { phase: bound ? "Bound" : "Available" },
});
const pod = (name: string, claim: string, phase = "Running", namespace = "web") => ({
    metadata: { name, namespace },
    spec: { volumes: [{ name: "d", persistentVolumeClaim: { claimName: claim } }] },
    status: { phase },
});
const cluster = (more: Partial<VolumesInCluster> = {}): VolumesInCluster => ({
    volumes: [
        volume("one", "/exports/data/one"),
        volume("two", "/exports/data2"),
        volume("free", "/exports/data", false),
    ],
    pods: [
        pod("db-0", "claim-one"),
        pod("db-1", "claim-one"),
        pod("job", "claim-one", "Succeeded"),
        pod("x", "claim-one", "Running", "other"),
    ],
    ...more,
});
const data = { export: { addresses: ["10.0.0.31"], path: "/exports/data" } };

describe("who uses a volume", () => {
    it("is its claim, with the pods that have not ended, by name", () => {
        assert.deepEqual(usersOf({ volume: "one" }, cluster()), [
            "claim web/claim-one of pods web/db-0, web/db-1 (PersistentVolume one)",
        ]);
        assert.deepEqual(usersOf({ volume: "two" }, cluster()), ["claim web/claim-two (PersistentVolume two)"]);
    });

    it("of an export are those of all folders below it, and not those of a path that only begins like it", () => {
        assert.deepEqual(usersOf(data, cluster()), [
            "claim web/claim-one of pods web/db-0, web/db-1 (PersistentVolume one)",
        ]);
    });

    it("is nobody for a volume without a claim, and on another server", () => {
        assert.deepEqual(usersOf({ volume: "free" }, cluster()), []);
        assert.deepEqual(usersOf(data, cluster({ volumes: [volume("one", "/exports/data", true, "10.0.0.9")] })), []);
    });

    it("is a pod whose claim was released and which still runs", () => {
        const released = { ...volume("one", "/exports/data"), status: { phase: "Released" } };
        assert.match(usersOf({ volume: "one" }, cluster({ volumes: [released] }))[0]!, /web\/db-0/);
        assert.deepEqual(usersOf({ volume: "one" }, { volumes: [released], pods: [] }), []);
    });

    it("is also the claim of a volume that the NFS CSI driver made or mounts", () => {
        const attributes = { Server: "10.0.0.31", share: "/exports/data", subDir: "web-data-pvc-1" };
        const made = {
            metadata: { name: "pvc-1" },
            spec: {
                csi: { driver: "nfs.csi.k8s.io", volumeAttributes: attributes },
                claimRef: { namespace: "web", name: "data" },
            },
            status: { phase: "Bound" },
        };
        assert.deepEqual(usersOf(data, { volumes: [made], pods: [] }), ["claim web/data (PersistentVolume pvc-1)"]);
        const elsewhere = {
            ...made,
            spec: { ...made.spec, csi: { volumeAttributes: { ...attributes, Server: "10.0.0.9" } } },
        };
        assert.deepEqual(usersOf(data, { volumes: [elsewhere], pods: [] }), []);
        const inSubfolder = { share: "/exports", server: "10.0.0.31", subdir: "data/web" };
        const inline = { name: "d", csi: { driver: "nfs.csi.k8s.io", volumeAttributes: inSubfolder } };
        const direct = { metadata: { name: "raw", namespace: "web" }, spec: { volumes: [inline] } };
        assert.match(usersOf(data, { volumes: [], pods: [direct] })[0]!, /pod web\/raw/);
    });

    it("names the pod whose own volume has the claim", () => {
        const own = {
            metadata: { name: "db", namespace: "web" },
            spec: { volumes: [{ name: "scratch", ephemeral: { volumeClaimTemplate: {} } }] },
        };
        const bound = { ...volume("one", "/exports/data") };
        bound.spec.claimRef = { namespace: "web", name: "db-scratch" };
        assert.match(usersOf(data, { volumes: [bound], pods: [own] })[0]!, /of pod web\/db /);
    });

    it("is also who mounts a folder above: NFS 4 walks down into the export", () => {
        for (const path of ["/", "/exports", "//exports/./data//"]) {
            assert.equal(usersOf(data, { volumes: [volume("above", path)], pods: [] }).length, 1, path);
        }
        assert.deepEqual(usersOf(data, { volumes: [volume("beside", "/exports/..data")], pods: [] }), []);
    });

    it("is also a pod that mounts an export without a claim", () => {
        const direct = {
            metadata: { name: "raw", namespace: "web" },
            spec: { volumes: [{ name: "d", nfs: { server: "10.0.0.31", path: "/exports/data/" } }] },
        };
        assert.deepEqual(usersOf(data, { volumes: [], pods: [direct] }), [
            "pod web/raw, which mounts it without a claim",
        ]);
    });
});

describe("removing what may be in use", () => {
    runClockFast();
    let api: FakeApi;
    const question = (changes: Partial<GuardQuestion> = {}): GuardQuestion => ({
        leaving: [{ what: "export /exports/data", names: ["/exports/data", "data"], asked: data }],
        access: { endpoint: api.endpoint, caCertificate: api.ca, auth: { bearerToken: "admin-token" } },
        force: [],
        node: "storage",
        ...changes,
    });

    beforeEach(async () => {
        api = await FakeApi.start();
        api.objects.set("/api/v1/persistentvolumes", { items: cluster().volumes });
        api.objects.set("/api/v1/pods", { items: cluster().pods });
    });
    afterEach(() => api.stop());

    it("is refused with the names of claims and pods", async () => {
        const error = await inUse(question());
        assert.equal(error?.code, "DATA_IN_USE");
        assert.match(
            error!.reason,
            /export \/exports\/data is used by claim web\/claim-one of pods web\/db-0, web\/db-1/,
        );
    });

    it("is allowed where nobody uses it, and by name", async () => {
        api.objects.set("/api/v1/persistentvolumes", { items: [] });
        assert.equal(await inUse(question()), undefined);
        api.objects.set("/api/v1/persistentvolumes", { items: cluster().volumes });
        assert.equal(await inUse(question({ force: ["data"] })), undefined);
        assert.equal((await inUse(question({ force: ["dat", "other"] })))?.code, "DATA_IN_USE");
    });

    it("is refused while the cluster does not answer, or does not let us ask", async () => {
        const asked = question();
        const { access } = asked;
        const closed = await inUse(question({ access: { ...access!, auth: { bearerToken: "wrong" } } }));
        assert.match(closed!.reason, /cannot be asked, so it counts as used/);
        await api.stop();
        const silent = await inUse(asked);
        assert.match(silent!.reason, /cannot be asked, so it counts as used/);
        api = await FakeApi.start();
    });
});
