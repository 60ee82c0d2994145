import type * as pulumi from "@pulumi/pulumi";
import { type Args, BundleImages, type Host, type Node } from "../../provider/adapters/dynamic";
import type { BundleImagesInputs } from "../../provider/cluster/bundle-images";
import type { Cluster } from "./cluster-parts";
import type { ClusterStorage } from "./cluster-storage";
import { makeEtcdRestore, type RestoreRequest } from "./etcd-restores";
import { makeHost, makeNode } from "./node-resources";

/** The control-plane nodes, which join one after another, because etcd accepts one new member at a time. */
export function makeControlPlane(
    cluster: Cluster,
    owner: pulumi.Resource,
    storage: ClusterStorage | undefined,
    restores: RestoreRequest,
): Node[] {
    const machines = cluster.nodes.filter(({ role }) => role === "controlPlane");
    const images = bundleImages(cluster, owner);
    const hosts = machines.map(machine => makeHost(cluster, machine, storage));
    // The first control-plane node waits until all are prepared: it must not be made if another one can be a cluster already, and one that is down stops the operation
    // before half a cluster exists.
    const prepared = hosts.map((host, i) => notReplaced(cluster, machines[i]!.name, host, hosts[0]!));
    const restore = makeEtcdRestore(cluster, restores, prepared);
    const nodes: Node[] = [];
    for (const [i, machine] of machines.entries()) {
        const after =
            i === 0
                ? [...prepared.slice(1), ...(images ? [images] : []), ...(restore ? [restore] : [])]
                : [nodes[i - 1]!];
        nodes.push(makeNode(cluster, machine, hosts[i]!, after, storage));
    }
    return nodes;
}

/** A server that gets a new one in its turn waits for the Nodes before it, which therefore cannot wait for its Host. `instead`: the first Host. */
function notReplaced({ turns }: Cluster, name: string, host: Host, instead: Host): Promise<Host> | Host {
    return turns ? turns.pending.then(names => (names.has(name) ? instead : host)) : host;
}

/** In parallel with the hosts: the first node that pulls images is the first control-plane node. */
function bundleImages({ name, plan }: Cluster, parent: pulumi.Resource): BundleImages | undefined {
    const given = plan.bundleImages;
    return given && new BundleImages(name, given as Args<BundleImagesInputs>, { parent });
}
