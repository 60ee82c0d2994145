import { strict as assert } from "node:assert";
import { asStory } from "../support/story";
import { ownNamespace, podOf } from "../support/tenant";
import { clusterArguments, eventually, type Fixture, openFixture } from "./cluster-fixture";
import { isHeldBack, Tenant } from "./tenant";

/** The smallest cluster with a storage server, and somebody hostile who may deploy into it. */
describe("a cluster with a storage server and a tenant", function () {
    this.timeout("20m");
    asStory(this);
    let fixture: Fixture;
    const cluster = () => ({ fixture, controlPlane: "m1", worker: "w1", storage: "st1" });
    /** By a volume of the pod itself. */
    const reader = (tenant: Tenant) => {
        const nfs = { server: tenant.address("st1"), path: "/exports/other" };
        const main = {
            ...{ name: "main", image: tenant.image, command: ["cat", "/data/secret"] },
            volumeMounts: [{ name: "data", mountPath: "/data" }],
        };
        return podOf("reading", tenant.image, {
            ...{ restartPolicy: "Never", volumes: [{ name: "data", nfs }], containers: [main] },
        });
    };

    before(async () => {
        const nodes = ["m1", "w1", "st1"];
        fixture = await openFixture({ name: "tenant", nodes, volumes: { st1: [2 ** 30] }, nfs: true });
        const { address, hostKey, privateKey } = fixture.lab.node("st1");
        const { volumes } = fixture.lab.status().find(({ name }) => name === "st1")!;
        const args = {
            ...clusterArguments(fixture.lab, { masters: ["m1"], workers: ["w1"] }),
            registries: {},
            storage: {
                server: { address, ssh: { hostKey } },
                volumes: { data: { disk: `/dev/disk/by-id/virtio-${volumes[0]!.id}` } },
                exports: { "/exports/data": { volume: "data" }, "/exports/other": { volume: "data" } },
                // The lab's client has no large writes over version 4.
                nfs3: true,
                persistentVolumes: { shared: { path: "/exports/data", capacityGiB: 1, claim: `${ownNamespace}/data` } },
            },
        };
        await fixture.project.setConfig({ cluster: JSON.stringify(args) }, { secrets: JSON.stringify({ privateKey }) });
    });
    after(() => fixture?.close());

    it("is made", async () => {
        await fixture.project.up();
    });

    isHeldBack(cluster);

    it("gives a pod what its claim has, and lets it not ask the storage server", async () => {
        const tenant = new Tenant(cluster());
        const claim = {
            apiVersion: "v1",
            kind: "PersistentVolumeClaim",
            metadata: { name: "data", namespace: ownNamespace },
            spec: {
                ...{ accessModes: ["ReadWriteMany"], storageClassName: "", volumeName: "shared" },
                resources: { requests: { storage: "1Gi" } },
            },
        };
        const main = {
            ...{ name: "main", image: tenant.image, command: ["sleep", "3600"] },
            volumeMounts: [{ name: "data", mountPath: "/data" }],
        };
        const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
        const pod = podOf("asking", main.image, { volumes, containers: [main] });
        await tenant.kubectl("create", "-f", tenant.file("asking", claim, pod));
        await tenant.kubectl("wait", "--for=condition=Ready", "pod/asking", "--timeout=180s");
        await tenant.inPod("echo ours >/data/file; sync");
        assert.match(await fixture.lab.mustSsh("st1", "cat /exports/data/file"), /ours/);
        const banner = await tenant.inPod(`timeout 5 nc ${tenant.address("st1")} 22 </dev/null || true`);
        assert.match(banner, /^SSH-2\.0/, "the machine is reached");
        assert.equal(await tenant.askNfs(), 0, "its NFS server is not");
    });

    it("is in the tenant's hands where somebody has taken the policies and rules away", async () => {
        const tenant = new Tenant(cluster());
        await fixture.lab.mustSsh("st1", "echo of others >/exports/other/secret; chmod 0644 /exports/other/secret");
        const names = ["services", "pods", "storage", "virtual-address"].map(name => `pulumi-nfv-${name}`);
        for (const kind of ["validatingadmissionpolicybinding", "validatingadmissionpolicy"]) {
            await fixture.kubectl("delete", kind, ...names);
        }
        for (const node of ["m1", "w1"]) {
            await fixture.lab.mustSsh(node, "systemctl disable --now pulumi-nfv-storage.service");
        }
        await eventually(60, async () => {
            const allowed = (await tenant.tryAll()).filter(({ said }) => said === undefined);
            const titles = allowed.map(({ attempt }) => attempt.title);
            for (const expected of [
                /the API server, by/,
                /storage server, by/,
                /all exports/,
                /priority/,
                /by name$/,
            ]) {
                assert.ok(
                    titles.some(title => expected.test(title)),
                    `${expected}: ${titles.join("; ")}`,
                );
            }
        });
        assert.equal(await tenant.askNfs(), 28, "its pods reach the storage server as their node");
        await tenant.kubectl("create", "-f", tenant.file("reading", reader(tenant)));
        await tenant.kubectl("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/reading", "--timeout=120s");
        assert.match(await tenant.kubectl("logs", "reading"), /of others/);
        await tenant.kubectl("delete", "pod", "reading");
    });

    it("holds it back again after a refresh and an `up`", async () => {
        const tenant = new Tenant(cluster());
        await fixture.project.refresh();
        await fixture.project.up();
        await assert.rejects(tenant.kubectl("create", "-f", tenant.file("reading", reader(tenant))), /by a claim/);
        assert.equal(await tenant.askNfs(), 0);
    });

    isHeldBack(cluster);

    it("ends with nothing of it left on the machines", async () => {
        await new Tenant(cluster()).kubectl("delete", "pod/asking", "pvc/data");
        await fixture.project.destroy();
        const units = "/etc/systemd/system/*pulumi-nfv* /etc/systemd/system/nftables.service.d";
        const left = `ls -d /etc/pulumi-nfv ${units} 2>/dev/null; nft list tables 2>/dev/null | grep pulumi || true`;
        for (const node of ["m1", "w1"]) assert.equal((await fixture.lab.mustSsh(node, left)).trim(), "");
    });
});
