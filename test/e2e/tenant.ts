import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import * as path from "node:path";
import { attempts, definitions, ownNamespace, podOf } from "../support/tenant";
import { toolsByDigest } from "./cluster-attacks";
import { command, eventually, type Fixture, vip } from "./cluster-fixture";

/** A cluster with the account that its Vim hands out by default. */
export interface TenantsCluster {
    fixture: Fixture;
    /** Names of nodes. */
    controlPlane: string;
    worker: string;
    /** Name of the machine of its storage server. Undefined: it has none. */
    storage?: string;
}

/** A call of version 3 of NFS that does nothing: a server that takes calls from this client answers with 28 bytes. */
const nfsCall = [0x80, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0x86, 0xa3, 0, 0, 0, 3]
    .concat(Array<number>(20).fill(0))
    .map(byte => `\\${byte.toString(8).padStart(3, "0")}`)
    .join("");
const askNfs = (address: string) => `(printf '${nfsCall}'; sleep 2) | timeout 5 nc ${address} 2049 | wc -c`;

/** What the account's holder tries, with nothing but its credentials. Part of a story: the cluster is healthy, and stays as it is. */
export function isHeldBack(cluster: () => TenantsCluster): void {
    const asTenant = async (...args: string[]) => {
        const { fixture } = cluster();
        const kubeconfig = path.join(fixture.folder, "tenant-kubeconfig");
        if (!fs.existsSync(kubeconfig)) {
            fs.writeFileSync(kubeconfig, await fixture.project.output("vimKubeconfig"), { mode: 0o600 });
        }
        const kubectl = path.join(fixture.bundle, "bin", "kubectl");
        return command(fixture.lab.enter([kubectl, "--kubeconfig", kubeconfig, "--namespace", ownNamespace, ...args]));
    };
    const fileOf = (name: string, ...items: object[]) => {
        const file = path.join(cluster().fixture.folder, `${name}.json`);
        fs.writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
        return file;
    };
    const addressOf = (name: string) => cluster().fixture.lab.node(name).address;

    it("holds its tenants back in their namespaces, however they try to leave them", async () => {
        const { fixture, controlPlane, worker, storage } = cluster();
        const kinds = fileOf("definitions", ...definitions);
        await fixture.kubectl("apply", "-f", kinds);
        const names = definitions.map(({ metadata }) => `crd/${metadata.name}`);
        await fixture.kubectl("wait", "--for=condition=Established", ...names);
        const addresses = {
            ...{ controlPlane: addressOf(controlPlane), worker: addressOf(worker), api: vip },
            storage: storage === undefined ? "10.99.0.251" : addressOf(storage),
        };
        const image = toolsByDigest(fixture);
        const create = ["create", "--dry-run=server", "--validate=false", "-f"];
        await eventually(30, () => asTenant(...create, fileOf("ordinary", podOf("ordinary", image, {}))));
        const allowed: string[] = [];
        for (const { title, object, refusedBy } of attempts({ addresses, controlPlaneNode: controlPlane, image })) {
            const said = await asTenant(...create, fileOf("attempt", object)).then(
                () => undefined,
                error => String(error),
            );
            if (said === undefined) allowed.push(title);
            else assert.match(said, refusedBy, title);
        }
        assert.deepEqual(allowed, []);
        const status = ["patch", "service", "any", "--subresource=status", "--type=merge", "-p", "{}"];
        await assert.rejects(asTenant(...status), /cannot patch resource "services\/status"/);
        await fixture.kubectl("delete", ...names);
    });

    it("lets no pod of a tenant ask the storage server, and gives it what its claim has", async () => {
        const { fixture, storage } = cluster();
        // A part of the story with a storage server: tenant.full.test.ts.
        if (storage === undefined) return;
        const address = addressOf(storage);
        const claim = {
            apiVersion: "v1",
            kind: "PersistentVolumeClaim",
            metadata: { name: "data", namespace: ownNamespace },
            spec: {
                ...{ accessModes: ["ReadWriteMany"], storageClassName: "", volumeName: "shared" },
                resources: { requests: { storage: "1Gi" } },
            },
        };
        const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
        const main = {
            name: "main",
            image: toolsByDigest(fixture),
            command: ["sleep", "3600"],
            volumeMounts: [{ name: "data", mountPath: "/data" }],
        };
        const pod = podOf("asking", main.image, { volumes, containers: [main] });
        await asTenant("create", "-f", fileOf("asking", claim, pod));
        await asTenant("wait", "--for=condition=Ready", "pod/asking", "--timeout=120s");
        const inPod = (script: string) => asTenant("exec", "asking", "--", "sh", "-c", script);
        await inPod("echo ours >/data/file; sync");
        assert.match(await fixture.lab.mustSsh(storage, "cat /exports/data/file"), /ours/);
        assert.match(
            await inPod(`timeout 5 nc ${address} 22 </dev/null || true`),
            /^SSH-2\.0/,
            "the machine is reached",
        );
        assert.equal((await inPod(askNfs(address))).trim(), "0", "its NFS server is not");
        await asTenant("delete", "pod/asking", "pvc/data");
    });
}
