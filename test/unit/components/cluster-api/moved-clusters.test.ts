import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from "node:assert/strict";
import type { MovedClustersArgs } from "../../../../components";
import { MovedClusters, Vim, WorkloadCluster } from "../../../../components";
import { promiseOf } from "../../../../provider/adapters/later";
import { isSecret, record, registered } from "../recorder";
import { sampleCertificate } from "../sample-args";

const vim = (name: string) =>
    new Vim(name, {
        endpoint: `https://${name}:6443`,
        caCertificate: sampleCertificate,
        auth: { bearerToken: `canary-${name}` },
    });
const access = {
    endpoint: "https://site:6443",
    caCertificate: sampleCertificate,
    clientCertificate: "a",
    clientKey: "b",
};
const cloudsYaml = "clouds: {openstack: {}}";
const workload = (managementVim: Vim, namespace?: string, identity: object = { cloudsYaml }, movable = false) =>
    new WorkloadCluster("site", {
        managementVim,
        ...(movable && { movable }),
        ...(namespace !== undefined && { namespace }),
        version: "1.34.4",
        openstack: { identity, externalNetwork: "public" },
        controlPlane: { flavor: "m", image: "k8s" },
    });

describe("MovedClusters", () => {
    const program = (more: Partial<MovedClustersArgs> = {}) =>
        new MovedClusters("pivot", { fromVim: vim("first"), toVim: vim("second"), ...more });

    it("is one resource with the logins of both sides, which are secret, and tells what has moved", async () => {
        const outputs = (type: string) => (type.endsWith(":ClusterMove") ? { clusters: ["default/site"] } : {});
        const { resources, result } = await record("up", () => program({ namespaces: ["default"] }), { outputs });
        const { inputs, raw } = registered(resources, "ClusterMove pivot");
        deepStrictEqual([inputs["namespaces"], inputs["timeoutSeconds"]], [["default"], 600]);
        match(JSON.stringify([inputs["from"], inputs["to"]]), /canary-first.*canary-second/);
        ok(isSecret(raw["from"]) && isSecret(raw["to"]));
        deepStrictEqual(await promiseOf(result.clusters), ["default/site"]);
    });

    it("refuses inputs that cannot be", async () => {
        const rows: [Partial<MovedClustersArgs>, RegExp][] = [
            [{ fromVim: undefined }, /from: set exactly one of: from, fromVim/],
            [{ toVim: undefined }, /to: set exactly one of: to, toVim/],
            [{ fromVim: undefined, from: {} as never }, /from: is no ManagementCluster: make one .* as fromVim/],
            [{ toVim: {} as never }, /toVim: is no Vim/],
            [{ namespaces: [] }, /namespaces: is empty; leave it out to move all/],
            [{ namespaces: ["A B"] }, /namespaces\[0\]: /],
            [{ timeoutSeconds: 0 }, /timeoutSeconds: must be greater than 0/],
        ];
        for (const [changes, words] of rows)
            await rejects(
                record("preview", () => program(changes as object)),
                words,
            );
    });

    it("is refused beside a WorkloadCluster whose objects it would move, whichever comes first in the program", async () => {
        const words =
            /MovedClusters "pivot" cannot move clusters of namespace default: WorkloadCluster "site" keeps its own there.*made with movable: true/;
        const both: ((from: Vim, to: Vim) => void)[] = [
            (fromVim, toVim) => [workload(fromVim), new MovedClusters("pivot", { fromVim, toVim })],
            (fromVim, toVim) => [new MovedClusters("pivot", { fromVim, toVim }), workload(fromVim)],
            (fromVim, toVim) => [new MovedClusters("pivot", { fromVim, toVim }), workload(toVim)],
        ];
        for (const each of both)
            await rejects(
                record("preview", () => each(vim("first"), vim("second"))),
                words,
            );
        const { resources } = await record("preview", () => {
            const fromVim = vim("first");
            workload(fromVim, "mine");
            return new MovedClusters("pivot", { fromVim, toVim: vim("second"), namespaces: ["default"] });
        });
        ok(registered(resources, "ClusterMove pivot"));
    });

    it("moves a movable WorkloadCluster of the program, after which it comes and before which it goes", async () => {
        const { resources } = await record(
            "up",
            () => {
                const [fromVim, toVim] = [vim("first"), vim("second")];
                workload(fromVim, undefined, undefined, true);
                return new MovedClusters("pivot", { fromVim, toVim }, { retainOnDelete: true });
            },
            { outputs: type => (type.endsWith(":WorkloadRollout") ? { uid: "0b9d4c4e-6a1b", ...access } : {}) },
        );
        const { after, retainOnDelete } = registered(resources, "ClusterMove pivot");
        strictEqual(retainOnDelete, true);
        ok(after.includes("WorkloadRollout site"), after.join());
        await rejects(
            record("preview", () => {
                const [fromVim, toVim] = [vim("first"), vim("second")];
                new MovedClusters("pivot", { fromVim, toVim });
                workload(fromVim, undefined, undefined, true);
            }),
            /MovedClusters "pivot" waits for this cluster, so make it after this WorkloadCluster/,
        );
        await rejects(
            record("preview", () => {
                const [fromVim, toVim] = [vim("first"), vim("second")];
                workload(toVim, undefined, undefined, true);
                new MovedClusters("pivot", { fromVim, toVim });
            }),
            /to where WorkloadCluster "site" has its own/,
        );
    });

    it("is refused beside a WorkloadCluster before that has made a login to the cloud", async () => {
        const { resources } = await record("preview", () => {
            const [fromVim, toVim] = [vim("first"), vim("second")];
            new MovedClusters("pivot", { fromVim, toVim });
            throws(() => workload(fromVim, undefined, { applicationCredential: {} }), /keeps its own there/);
        });
        deepStrictEqual(
            resources.map(({ type }) => type).filter(type => type.startsWith("openstack:")),
            [],
        );
        ok(registered(resources, "ClusterMove pivot"));
    });
});
