import { clusterctlLabel } from "../inventory";
import { isPausable } from "./object-key";
import type { MovableKind } from "./types";

/** On definitions and on objects. For clusterctl, only the second takes along what an object owns; left behind, it would be collected as garbage. */
export const moveLabels = ["clusterctl.cluster.x-k8s.io/move", "clusterctl.cluster.x-k8s.io/move-hierarchy"] as const;

export const isLabelled = (labels: object = {}): boolean => moveLabels.some(label => label in labels);

export interface Definition {
    metadata: { labels?: Record<string, string> };
    spec: {
        group: string;
        scope: string;
        names: { kind: string; plural: string };
        versions: { name: string; storage: boolean; served: boolean }[];
    };
}

const builtIn = { apiVersion: "v1", namespaced: true, moves: false };

/** Secrets and ConfigMaps move if they belong to something that moves. */
const builtInKinds: MovableKind[] = [
    { ...builtIn, kind: "Secret", plural: "secrets" },
    { ...builtIn, kind: "ConfigMap", plural: "configmaps" },
];

/** The kinds that `clusterctl move` takes into account, by the labels of their definitions. Each in the version in which it is stored. */
export function movableKinds(definitions: readonly Definition[]): MovableKind[] {
    const custom = definitions.flatMap(({ metadata: { labels = {} }, spec }): MovableKind[] => {
        const version = spec.versions.find(({ storage }) => storage);
        if (labels[clusterctlLabel] === undefined || version === undefined) return [];
        const { kind, plural } = spec.names;
        const apiVersion = `${spec.group}/${version.name}`;
        const moves = isPausable({ apiVersion, kind }) || isLabelled(labels);
        return [{ apiVersion, kind, plural, namespaced: spec.scope === "Namespaced", moves }];
    });
    return [...custom, ...builtInKinds];
}
