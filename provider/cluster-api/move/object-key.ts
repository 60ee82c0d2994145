import { groupOf } from "../../vim/group-of";
import { titleOf as titleOfName } from "../../vim/ownership";
import type { MoveObject } from "./types";

interface Kinded {
    apiVersion: string;
    kind: string;
}

/** "Machine.cluster.x-k8s.io": a kind in all its versions. */
export const kindKey = (of: Kinded): string => `${of.kind}.${groupOf(of.apiVersion)}`;

/** Identifies an object on whatever cluster it is. */
export const objectKey = (object: MoveObject): string => {
    const { namespace = "", name } = object.metadata;
    return `${kindKey(object)} ${namespace}/${name}`;
};

/** "Machine default/site-md-1", for people. */
export const titleOf = ({ apiVersion, kind, metadata }: MoveObject): string =>
    titleOfName({ apiVersion, kind, ...metadata });

/** Names at most ten. */
export function titles(objects: readonly MoveObject[]): string {
    const shown = objects.slice(0, 10).map(titleOf).join(", ");
    return objects.length > 10 ? `${shown} and ${objects.length - 10} more` : shown;
}

const core = "cluster.x-k8s.io";

export const isCluster = (object: Kinded) => kindKey(object) === `Cluster.${core}`;
export const isClusterClass = (object: Kinded) => kindKey(object) === `ClusterClass.${core}`;
export const isResourceSet = (object: Kinded) => kindKey(object) === `ClusterResourceSet.addons.${core}`;

/** Their controllers work on their own: a Cluster is paused with all its objects, the others one by one. */
export const isPausable = (object: Kinded) => isCluster(object) || isClusterClass(object) || isResourceSet(object);
