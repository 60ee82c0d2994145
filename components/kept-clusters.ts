import type { Vim } from "./vim";

/** What a program says about the clusters of one management cluster. */
interface Said {
    /** Made and kept by a WorkloadCluster. */
    kept: { name: string; namespace: string }[];
    /** Moved away, or to it, by a MovedClusters; undefined: all namespaces. */
    moved: { name: string; namespaces: string[] | undefined }[];
}

const saidOf = new WeakMap<Vim, Said>();

function said(vim: Vim): Said {
    const known = saidOf.get(vim) ?? { kept: [], moved: [] };
    saidOf.set(vim, known);
    return known;
}

export function noteKept(vim: Vim, cluster: Said["kept"][number]): string[] {
    said(vim).kept.push(cluster);
    return conflicts(vim);
}

export function noteMoved(vim: Vim, moved: Said["moved"][number]): string[] {
    // Namespaces that are not known yet may be any.
    const { name, namespaces } = moved;
    said(vim).moved.push({ name, namespaces: Array.isArray(namespaces) ? namespaces : undefined });
    return conflicts(vim);
}

/** A WorkloadCluster finds its objects where it made them, also after a move: it would make them again, and two Cluster APIs would work on one cluster. */
function conflicts(vim: Vim): string[] {
    const { kept, moved } = said(vim);
    return kept.flatMap(({ name, namespace }) =>
        moved
            .filter(({ namespaces }) => namespaces?.includes(namespace) ?? true)
            .map(
                each =>
                    `namespaces: MovedClusters "${each.name}" cannot move clusters of namespace ${namespace}: WorkloadCluster "${name}" keeps its own there, and would make it again where it was. Give other namespaces; a cluster that is to move is made with kubectl, not by a WorkloadCluster`,
            ),
    );
}
