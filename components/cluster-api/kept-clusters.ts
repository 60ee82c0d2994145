import type { Resource } from "@pulumi/pulumi";
import type { Vim } from "../vim/vim";

/** What a program says about the clusters of one management cluster. */
interface Said {
    /** Made and kept by a WorkloadCluster. */
    kept: KeptCluster[];
    /** Moved away, or to it, by a MovedClusters; undefined: all namespaces. */
    moved: Moved[];
}

interface KeptCluster {
    name: string;
    namespace: string;
    /** It finds its objects again after a move. */
    movable?: Resource | undefined;
}

interface Moved {
    name: string;
    namespaces: string[] | undefined;
    /** Whether clusters come to the management cluster, or leave it. */
    arrive: boolean;
}

const saidOf = new WeakMap<Vim, Said>();

function said(vim: Vim): Said {
    const known = saidOf.get(vim) ?? { kept: [], moved: [] };
    saidOf.set(vim, known);
    return known;
}

export function noteKept(vim: Vim, cluster: KeptCluster): string[] {
    const { kept, moved } = said(vim);
    kept.push(cluster);
    return moved.flatMap(each => {
        const late =
            cluster.movable !== undefined && !each.arrive && concerns(each, cluster)
                ? [
                      `movable: MovedClusters "${each.name}" waits for this cluster, so make it after this WorkloadCluster`,
                  ]
                : [];
        return [...late, ...conflict(cluster, each)];
    });
}

export function noteMoved(vim: Vim, { namespaces, ...moved }: Moved): string[] {
    const { kept, moved: others } = said(vim);
    // Namespaces that are not known yet may be any.
    const noted = { ...moved, namespaces: Array.isArray(namespaces) ? namespaces : undefined };
    others.push(noted);
    return kept.flatMap(cluster => conflict(cluster, noted));
}

/** The clusters of the program that a move takes along: it comes after them, and goes before them. */
export const whatMoves = (vim: Vim, moved: Moved): Resource[] =>
    said(vim).kept.flatMap(cluster => (concerns(moved, cluster) ? (cluster.movable ?? []) : []));

const concerns = ({ namespaces }: Moved, { namespace }: KeptCluster) =>
    !Array.isArray(namespaces) || namespaces.includes(namespace);

/** A WorkloadCluster finds its objects where it made them, also after a move: it would make them again, and two Cluster APIs would work on one cluster. */
function conflict(cluster: KeptCluster, moved: Moved): string[] {
    const { name, namespace, movable } = cluster;
    if (!concerns(moved, cluster) || (movable !== undefined && !moved.arrive)) return [];
    const cannot = `namespaces: MovedClusters "${moved.name}" cannot move clusters of namespace ${namespace}`;
    const other = "Give other namespaces";
    return movable !== undefined
        ? [
              `${cannot} to where WorkloadCluster "${name}" has its own: they could not be told apart on the way back. ${other}`,
          ]
        : [
              `${cannot}: WorkloadCluster "${name}" keeps its own there, and would make it again where it was. ${other}; a cluster that is to move is made with movable: true`,
          ];
}
