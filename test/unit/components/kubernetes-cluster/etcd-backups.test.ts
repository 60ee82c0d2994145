import { deepStrictEqual, doesNotMatch, ok, strictEqual } from "node:assert/strict";
import { Cnf, KubernetesCluster } from "../../../../components";
import type { EtcdBackupArgs } from "../../../../components/args/etcd-args";
import { unpack } from "../../../../provider/contract/packed";
import { isSecret, type Registered, record, registered } from "../recorder";
import { clusterArgs } from "../sample-args";

const given: EtcdBackupArgs = {
    repository: {
        s3: { url: "https://s3.example/bucket/etcd", accessKey: "canary-access", secretKey: "canary-secret" },
    },
    password: "canary-password",
    schedule: "hourly",
    run: "one",
};
const made = async (etcdBackup: EtcdBackupArgs | undefined, masters = 3) =>
    (
        await record("up", () => {
            const args = clusterArgs(masters, { a: 2 }, etcdBackup && { etcdBackup });
            const { vim } = new KubernetesCluster("core", args);
            new Cnf("upf", { vim, objects: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }] });
        })
    ).resources;
const isBackup = ({ label }: Registered) => label.startsWith("EtcdBackup ");
const specOf = (resources: Registered[], label: string) =>
    unpack(registered(resources, label).inputs, ["connection", "fingerprintKey"]) as any;

describe("the snapshots of a cluster's etcd", () => {
    it("are made on each control-plane node, one after another, last of all; nothing waits for them", async () => {
        const resources = await made(given);
        const labels = resources.map(({ label }) => label);
        deepStrictEqual(
            labels.filter(each => each.startsWith("EtcdBackup ")),
            ["EtcdBackup core-m1", "EtcdBackup core-m2", "EtcdBackup core-m3"],
        );
        ok(labels.indexOf("EtcdBackup core-m1") > labels.indexOf("OperationEnd core"));
        for (const [i, each] of resources.filter(isBackup).entries()) {
            strictEqual(each.deletedWith, `Node core-m${i + 1}`);
            ok(each.after.includes(`Node core-m${i + 1}`));
            strictEqual(each.after.includes(`EtcdBackup core-m${i}`), i > 0);
        }
        const waiting = resources.filter(
            each => !isBackup(each) && each.after.some(other => other.startsWith("EtcdBackup ")),
        );
        deepStrictEqual(
            waiting.map(({ label }) => label),
            [],
        );
    });

    it("that are asked for are made by the first one only", async () => {
        const resources = await made(given);
        const specs = [1, 2, 3].map(i => specOf(resources, `EtcdBackup core-m${i}`).spec);
        deepStrictEqual(
            specs.map(({ turn, backup: { run, schedule } }) => [turn, run, schedule]),
            [
                [0, "one", "hourly"],
                [1, undefined, "hourly"],
                [2, undefined, "hourly"],
            ],
        );
        deepStrictEqual(specs[0].backup.keep, { daily: 7, weekly: 4, monthly: 6 });
    });

    it("keep passwords and keys secret", async () => {
        for (const { raw, inputs } of (await made(given)).filter(isBackup)) {
            const shown = JSON.stringify(raw, (_, value) => (isSecret(value) ? "" : value));
            doesNotMatch(shown, /canary/);
            ok(JSON.stringify(inputs).includes("canary-password"), "the test would see it");
        }
    });

    it("are nothing without the input", async () => {
        ok(!(await made(undefined)).some(isBackup));
    });
});
