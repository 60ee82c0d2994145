import { deepStrictEqual } from "node:assert/strict";
import type { KubernetesClusterArgs } from "../../../../components/args/args";
import { problems } from "../../../../components/validation/validate";
import { cloudArgs } from "../infrastructure/openstack/sample-cloud-args";
import { clusterArgs } from "../sample-args";

type Groups = Pick<KubernetesClusterArgs, "controlPlane" | "pools">;
const vip = { vip: { address: "10.99.0.100" } };

describe("names of nodes that leave, of machines that exist", () => {
    const of = ({ controlPlane = {}, pools }: Groups) => {
        const args = clusterArgs(3, { workers: 3, edge: 1 });
        const wanted = { controlPlane: { endpoint: vip, ...controlPlane }, pools: { workers: {}, edge: {}, ...pools } };
        return problems("KubernetesCluster", { ...args, clusterName: "core", ...wanted });
    };

    it("are allowed for each machine that is listed, and not counted", () => {
        deepStrictEqual(of({ pools: { workers: { remove: ["workers-2"] } } }), []);
        deepStrictEqual(of({ pools: { workers: { count: 2, remove: ["workers-2"] } } }), []);
        deepStrictEqual(of({ controlPlane: { remove: ["m1", "m3"] } }), []);
        deepStrictEqual(of({ pools: { workers: { remove: [] } } }), []);
    });

    const at = "pools.workers.remove.0";
    const table: [promise: string, groups: Groups, said: string][] = [
        [
            "a misspelt one",
            { pools: { workers: { remove: ["worker-2"] } } },
            `${at}: "worker-2" is no machine of infrastructure.hosts.pools.workers; did you mean "workers-2"?`,
        ],
        [
            "one that is not listed any more",
            { pools: { workers: { remove: ["gone"] } } },
            `${at}: "gone" is no machine of infrastructure.hosts.pools.workers; a machine that is listed no longer needs no entry here`,
        ],
        [
            "one of another pool",
            { pools: { workers: { remove: ["edge-1"] } } },
            `${at}: "edge-1" is no machine of infrastructure.hosts.pools.workers; it is one of infrastructure.hosts.pools.edge: name it in pools.edge.remove`,
        ],
        [
            "one that is named twice",
            { pools: { workers: { remove: ["workers-1", "workers-1"] } } },
            "pools.workers.remove.1: workers-1 is named twice",
        ],
        [
            "more nodes than machines remain",
            { pools: { workers: { count: 3, remove: ["workers-1"] } } },
            "pools.workers.count: 3 is not allowed: infrastructure.hosts.pools.workers lists 3, of which remove takes 1",
        ],
        [
            "an even number of masters that remain",
            { controlPlane: { remove: ["m2"] } },
            "infrastructure.hosts.controlPlane: 2 is not allowed: 1, 3 or 5 (etcd needs a majority); it lists 3, of which remove takes 1",
        ],
        [
            "more masters than machines remain",
            { controlPlane: { count: 3, remove: ["m2"] } },
            "controlPlane.count: 3 masters wanted, infrastructure.hosts.controlPlane lists 3, of which remove takes 1",
        ],
        [
            "a text in place of a list",
            { pools: { workers: { remove: "workers-1" as never } } },
            "pools.workers.remove: must be of type array, got string: write [ … ]",
        ],
    ];
    for (const [promise, groups, said] of table) it(`refuses ${promise}`, () => deepStrictEqual(of(groups), [said]));
});

describe("names of nodes that leave, of servers", () => {
    const of = (groups: Groups) => {
        const args = cloudArgs({}, { pools: { workers: { count: 2 }, "workers-b": {} }, ...groups });
        return problems("KubernetesCluster", args);
    };
    const workers = (...remove: string[]) => of({ pools: { workers: { count: 2, remove }, "workers-b": {} } });

    it("are whole names of servers, also of those that are gone for long", () => {
        deepStrictEqual(workers("core-workers-2", "core-workers-17"), []);
        deepStrictEqual(of({ controlPlane: { count: 3, remove: ["core-control-plane-1"] } }), []);
    });

    it("are refused otherwise, with the name that was probably meant", () => {
        const refused = (name: string, hint: string) =>
            deepStrictEqual(workers(name), [`pools.workers.remove.0: "${name}" is no name of a node there; ${hint}`]);
        refused("w2", 'did you mean "core-workers-2"?');
        refused("workers-12", 'did you mean "core-workers-12"?');
        refused("core-workers-02", 'did you mean "core-workers-2"?');
        refused("second", 'write it like "core-workers-2"');
        refused("core-workers-b-1", "it is one of pools.workers-b: name it in pools.workers-b.remove");
        refused("core-control-plane-1", "it is one of controlPlane: name it in controlPlane.remove");
    });

    it("are counted where the length of names is", () => {
        const pool = "p".repeat(56);
        const long = (remove: string[]) => of({ pools: { [pool]: { count: 9, remove } } });
        deepStrictEqual(long([]), []);
        deepStrictEqual(long([`core-${pool}-1`]), [
            `pools.${pool}: servers would be called "core-${pool}-10": more than 63 characters`,
        ]);
    });
});
