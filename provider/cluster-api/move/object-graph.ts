import { isLabelled } from "./move-kinds";
import { kindKey, objectKey } from "./object-key";
import { softOwners } from "./soft-owners";
import type { MoveObject, OwnerReference, Side } from "./types";

/** An object that moves. */
export interface Moved {
    key: string;
    object: MoveObject;
    /** Keys of its owners, and the references to them. */
    owners: { key: string; reference: OwnerReference }[];
    /** Others use it, too: it is copied, and stays where it is. */
    isShared: boolean;
    /** Owners have lower levels. */
    level: number;
}

export interface MoveGraph {
    moved: Moved[];
    /** Objects that should move and cannot: an owner of theirs does not, or they own each other. */
    stuck: { object: MoveObject; owner: string }[];
}

interface Node {
    object: MoveObject;
    key: string;
    owners: { node: Node | undefined; reference: OwnerReference }[];
    softOwners: Node[];
    children: Node[];
    moves: boolean;
    isShared: boolean;
}

/**
 * What moves with the clusters of these namespaces, as clusterctl decides it: all that belongs to a Cluster, a ClusterClass or a ClusterResourceSet, and
 * what is labelled to move. Unlike clusterctl's, no object stays behind unsaid because of an owner that is not known.
 */
export function moveGraph({ objects, kinds, providers }: Side, namespaces: readonly string[]): MoveGraph {
    if (namespaces.length === 0) return { moved: [], stuck: [] };
    const ofProviders = providers.filter(({ isInfrastructure }) => isInfrastructure).map(({ namespace }) => namespace);
    const wanted = new Set(namespaces);
    const mayMove = ({ kind, metadata: { namespace } }: MoveObject) =>
        namespace === undefined || wanted.has(namespace) || (kind === "Secret" && ofProviders.includes(namespace));
    // What is in no namespace, or with a provider, may serve other clusters, too.
    const isShared = ({ metadata: { namespace } }: MoveObject) => namespace === undefined || !wanted.has(namespace);
    const nodes = nodesOf(objects);
    const byKind = new Map(kinds.map(kind => [kindKey(kind), kind]));
    for (const node of nodes) {
        const { labels } = node.object.metadata;
        const moves = byKind.get(kindKey(node.object))?.moves || isLabelled(labels);
        if (moves && mayMove(node.object)) moveHierarchy(node, isShared, mayMove);
    }
    return inLevels(nodes.filter(({ moves }) => moves));
}

type Test = (object: MoveObject) => boolean;

function nodesOf(objects: readonly MoveObject[]): Node[] {
    const nodes = objects.map((object): Node => {
        const key = objectKey(object);
        return { object, key, owners: [], softOwners: [], children: [], moves: false, isShared: false };
    });
    const byUid = new Map(nodes.map(node => [node.object.metadata.uid, node]));
    const byObject = new Map(nodes.map(node => [node.object, node]));
    for (const node of nodes) {
        node.owners = (node.object.metadata.ownerReferences ?? []).map(reference => ({
            node: byUid.get(reference.uid),
            reference,
        }));
        for (const { node: owner } of node.owners) owner?.children.push(node);
    }
    for (const { object, owner } of softOwners(objects)) {
        byObject.get(object)!.softOwners.push(byObject.get(owner)!);
        byObject.get(owner)!.children.push(byObject.get(object)!);
    }
    return nodes;
}

function moveHierarchy(root: Node, isShared: Test, mayMove: Test): void {
    const seen = new Set<Node>();
    const open = [root];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
        // A Secret elsewhere that an identity for all namespaces names is copied, too.
        if (seen.has(node) || (!mayMove(node.object) && !isShared(root.object))) continue;
        seen.add(node);
        node.moves = true;
        node.isShared ||= isShared(root.object) || isShared(node.object);
        open.push(...node.children);
    }
}

function inLevels(moving: readonly Node[]): MoveGraph {
    const levels = new Map<Node, number>();
    const waiting = new Set(moving);
    for (let level = 0; waiting.size > 0; level++) {
        const next = [...waiting].filter(
            ({ owners, softOwners: soft }) =>
                owners.every(({ node }) => node !== undefined && levels.has(node)) &&
                soft.every(owner => !owner.moves || levels.has(owner)),
        );
        if (next.length === 0) break;
        for (const node of next) {
            levels.set(node, level);
            waiting.delete(node);
        }
    }
    return {
        moved: [...levels].map(([{ key, object, owners, isShared }, level]) => ({
            key,
            object,
            isShared,
            level,
            owners: owners.map(({ node, reference }) => ({ key: node!.key, reference })),
        })),
        stuck: [...waiting].map(({ object, owners }) => {
            const owner = owners.find(({ node }) => node === undefined || !levels.has(node))?.reference;
            return { object, owner: owner === undefined ? "each other" : `${owner.kind} ${owner.name}` };
        }),
    };
}
