import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import * as path from "node:path";
import { type Attempt, attempts, definitions, ownNamespace, podOf } from "../support/tenant";
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

/** Somebody with the default account's credentials and nothing else. */
export class Tenant {
    constructor(readonly cluster: TenantsCluster) {}

    get image(): string {
        return toolsByDigest(this.cluster.fixture);
    }

    address(node: string): string {
        return this.cluster.fixture.lab.node(node).address;
    }

    async kubectl(...args: string[]): Promise<string> {
        const { fixture } = this.cluster;
        const kubeconfig = path.join(fixture.folder, "tenant-kubeconfig");
        if (!fs.existsSync(kubeconfig)) {
            fs.writeFileSync(kubeconfig, await fixture.project.output("vimKubeconfig"), { mode: 0o600 });
        }
        const kubectl = path.join(fixture.bundle, "bin", "kubectl");
        return command(fixture.lab.enter([kubectl, "--kubeconfig", kubeconfig, "--namespace", ownNamespace, ...args]));
    }

    file(name: string, ...items: object[]): string {
        const file = path.join(this.cluster.fixture.folder, `${name}.json`);
        fs.writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
        return file;
    }

    /** What the API server says to each attempt; undefined: it is allowed. Nothing is made. */
    async tryAll(): Promise<{ attempt: Attempt; said: string | undefined }[]> {
        const { controlPlane, worker, storage } = this.cluster;
        const addresses = {
            ...{ controlPlane: this.address(controlPlane), worker: this.address(worker), api: vip },
            storage: storage === undefined ? "10.99.0.251" : this.address(storage),
        };
        const create = ["create", "--dry-run=server", "--validate=false", "-f"];
        const ordinary = this.file("ordinary", podOf("ordinary", this.image, {}));
        await eventually(30, () => this.kubectl(...create, ordinary));
        const seen: Awaited<ReturnType<Tenant["tryAll"]>> = [];
        for (const attempt of attempts({ addresses, controlPlaneNode: controlPlane, image: this.image })) {
            const said = await this.kubectl(...create, this.file("attempt", attempt.object)).then(
                () => undefined,
                error => String(error),
            );
            seen.push({ attempt, said });
        }
        return seen;
    }

    /** In a pod of its own. */
    inPod(script: string): Promise<string> {
        return this.kubectl("exec", "asking", "--", "sh", "-c", script);
    }

    /** How many bytes the storage server answers to a program in that pod. */
    async askNfs(): Promise<number> {
        const address = this.address(this.cluster.storage!);
        return Number(await this.inPod(`(printf '${nfsCall}'; sleep 2) | timeout 5 nc ${address} 2049 | wc -c`));
    }
}

/** What the tenant tries, and what it gets. Part of a story: the cluster is healthy, and stays as it is. */
export function isHeldBack(cluster: () => TenantsCluster): void {
    it("holds its tenants back in their namespaces, however they try to leave them", async () => {
        const tenant = new Tenant(cluster());
        const { kubectl } = tenant.cluster.fixture;
        const names = definitions.map(({ metadata }) => `crd/${metadata.name}`);
        await kubectl("apply", "-f", tenant.file("definitions", ...definitions));
        await kubectl("wait", "--for=condition=Established", ...names);
        const seen = await tenant.tryAll();
        const wrong = seen.filter(({ attempt, said }) => said === undefined || !attempt.refusedBy.test(said));
        assert.deepEqual(
            wrong.map(({ attempt, said }) => `${attempt.title}: ${said ?? "it is allowed"}`),
            [],
        );
        const status = `/api/v1/namespaces/${ownNamespace}/services/any/status`;
        const written = tenant.kubectl("replace", "--raw", status, "-f", tenant.file("status"));
        await assert.rejects(written, /cannot update resource "services\/status"/);
        await kubectl("delete", ...names);
    });
}
