import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { KubernetesCluster } from "../../../../components";
import { isSecret, record, registered } from "../recorder";
import { clusterArgs } from "../sample-args";

const etcdBackup = { repository: { folder: "/mnt/backup" }, password: "canary-password", program: "v1", run: "one" };
const made = async (etcdRestore?: { run: string; snapshot?: string; onto?: string }) =>
    (
        await record("up", () => {
            const more = { etcdBackup, ...(etcdRestore && { etcdRestore }) };
            new KubernetesCluster("core", clusterArgs(3, { a: 1 }, more));
        })
    ).resources;

describe("the restore of a cluster's etcd in the program", () => {
    it("comes after the machines of the control plane, before any Node, and waits for no worker", async () => {
        const resources = await made({ run: "first" });
        const { after, deletedWith } = registered(resources, "EtcdRestore core");
        for (const name of ["m1", "m2", "m3"]) ok(after.includes(`Host core-${name}`), name);
        ok(!after.includes("Host core-a-1"), "a worker that is dead is not in the way");
        ok(registered(resources, "Node core-m1").after.includes("EtcdRestore core"));
        strictEqual(deletedWith, "ClusterId core");
    });

    it("says what happens on each node, and keeps the password secret", async () => {
        const { inputs, raw } = registered(await made({ run: "first", snapshot: "0123abcd" }), "EtcdRestore core");
        const { requestId, snapshot, backup, nodes } = inputs as any;
        deepStrictEqual([requestId, snapshot, JSON.parse(backup).run], ["first", "0123abcd", undefined]);
        match(nodes.m2, /etcd and the API server stop; .* that of the snapshot 0123abcd, the former data is kept/);
        strictEqual(nodes["a-1"], "kubelet restarts; pods keep running");
        doesNotMatch(
            JSON.stringify(raw, (_, value) => (isSecret(value) ? "" : value)),
            /canary-password/,
        );
        strictEqual(JSON.parse(backup).password, "canary-password");
    });

    it("onto new machines is known to the masters, to their machines and to what they begin with", async () => {
        const resources = await made({ run: "first", onto: "newMachines" });
        const { ontoNew, nodes } = registered(resources, "EtcdRestore core").inputs as any;
        match(ontoNew.identity, /^[0-9a-f]{16}$/);
        strictEqual(ontoNew.kubernetesVersion, "1.36.3");
        match(nodes.m1, /the snapshot latest is fetched; the cluster begins here/);
        match(nodes.m2, /joins the cluster that begins with the snapshot/);
        strictEqual(registered(resources, "Masters core").inputs["ontoNew"], "first");
        for (const label of ["Host core-m1", "Node core-m3"])
            strictEqual(registered(resources, label).inputs["ontoNew"], "first", label);
        strictEqual(registered(resources, "Host core-a-1").inputs["ontoNew"], undefined);
        const same = await made({ run: "first", onto: "sameMachines" });
        strictEqual(registered(same, "Masters core").inputs["ontoNew"], undefined);
    });

    it("is nothing without the input", async () => {
        ok(!(await made()).some(({ label }) => label.startsWith("EtcdRestore ")));
    });
});
