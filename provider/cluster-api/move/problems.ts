import { NfvError, type NfvErrorDetails } from "../../common/errors";
import { ownerAnnotation } from "../../vim/ownership";
import { isKnownHere, isMovable } from "./movable";
import { isCluster, titleOf, titles } from "./object-key";
import { isLeaving, type Pairs } from "./pairs";
import { isPaused, markOf } from "./transit";
import type { MoveObject, Sight } from "./types";

type Rule = (sight: Sight, pairs: Pairs, isReturning: boolean) => NfvErrorDetails | undefined;

/** What forbids a move: the first row that applies. They are asked as long as something has still to be made on the other cluster. */
const rules: Rule[] = [
    ({ from, to }) =>
        when(from.uid === to.uid, {
            code: "INVALID_INPUT",
            cause: "both are the same cluster",
            hint: "Give two clusters: where the objects are, and where they go.",
        }),
    (_, { pairs }, isReturning) => {
        const known = pairs.map(({ object }) => object).filter(object => isCluster(object) && isKnownHere(object));
        return when(isReturning && known.length > 0, {
            code: "CLUSTER_IN_USE",
            cause: `their programs have these clusters where they are now, and would make them again there: ${titles(known)}`,
            hint: "To bring them back: give each WorkloadCluster the management cluster that made it, and run pulumi up of its program first. To leave them: retainOnDelete: true for the MovedClusters.",
        });
    },
    ({ from, to }) => {
        const wrong = from.providers.flatMap(({ name, version }) => {
            const versions = to.providers.filter(each => each.name === name).map(each => each.version);
            return versions.includes(version)
                ? []
                : [`${name}: ${version} here, ${versions.join(", ") || "none"} there`];
        });
        return when(wrong.length > 0, {
            code: "VERSION_MISMATCH",
            cause: `the two clusters do not have the same providers: ${wrong.join("; ")}`,
            hint: "Install the same versions on both: then the objects can also come back.",
        });
    },
    ({ to }, { pairs }) => {
        const there = new Set(to.kinds.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`));
        const used = new Set(pairs.map(({ object: { apiVersion, kind } }) => `${apiVersion} ${kind}`));
        const lacking = [...used].filter(each => !there.has(each));
        return when(lacking.length > 0, {
            code: "NOT_SERVED",
            cause: `the target does not have these kinds: ${lacking.join(", ")}`,
            hint: "Install the providers that define them there.",
        });
    },
    (_, { stuck }) =>
        when(stuck.length > 0, {
            code: "WORKLOAD_NOT_READY",
            cause: `these objects cannot move, as what owns them does not: ${stuck.map(({ object, owner }) => `${titleOf(object)} (${owner})`).join(", ")}`,
            hint: "Move the namespace of the owner, too, or remove the owner reference if the owner is gone.",
        }),
    (_, { pairs }) => {
        const held = pairs.filter(({ object }) => isHeldByProgram(object)).map(({ object }) => object);
        return when(held.length > 0, {
            code: "NOT_OURS",
            cause: `a Pulumi program keeps these objects where they are: ${titles(held)}`,
            hint: "It would make them again where they were, and two Cluster APIs would work on one cluster. Clusters of a WorkloadCluster move only if it was made with movable: true, those of a Cnf never.",
        });
    },
    (_, { pairs }) => {
        const foreign = pairs.filter(({ standing }) => standing === "foreign");
        return when(foreign.length > 0, {
            code: "NOT_OURS",
            cause: `the target has other objects of these names: ${titles(foreign.map(({ object }) => object))}`,
            hint: "No object is overwritten. Remove or rename those on the target if they are not needed.",
        });
    },
    ({ from, to, namespaces }, { pairs }) => {
        const arriving = new Set(
            pairs.flatMap(({ standing, other }) => (standing === "absent" || !other ? [] : [other])),
        );
        const own = to.objects.filter(
            each =>
                isCluster(each) &&
                namespaces.includes(each.metadata.namespace ?? "") &&
                markOf(each)?.peer !== from.uid &&
                !arriving.has(each),
        );
        return when(own.length > 0, {
            code: "NOT_OURS",
            cause: `the target has clusters of its own in these namespaces: ${titles(own)}`,
            hint: "All clusters of a namespace move together, and come back together: a namespace has them on one side.",
        });
    },
    ({ to }, { pairs }) => {
        const paused = pairs.filter(
            ({ object }) => isCluster(object) && isPaused(object) && markOf(object)?.peer !== to.uid,
        );
        return when(paused.length > 0, {
            code: "WORKLOAD_NOT_READY",
            cause: `somebody has paused ${titles(paused.map(({ object }) => object))}`,
            hint: "A move ends with clusters that go on. Unpause them first.",
        });
    },
    (_, { pairs }) => {
        const going = pairs.filter(
            ({ object }) => object.metadata.deletionTimestamp !== undefined && !isLeaving(object),
        );
        return when(going.length > 0, {
            code: "WORKLOAD_NOT_READY",
            cause: `these objects are being deleted: ${titles(going.map(({ object }) => object))}`,
            hint: "Wait until they are gone, then run the same command again.",
        });
    },
];

const when = (is: boolean, details: NfvErrorDetails) => (is ? details : undefined);

export function moveProblem(sight: Sight, pairs: Pairs, isReturning: boolean): NfvError | undefined {
    for (const rule of rules) {
        const details = rule(sight, pairs, isReturning);
        if (details !== undefined) return new NfvError({ node: "move of clusters", ...details });
    }
    return undefined;
}

/** Our own resources mark their objects, and those that find them again after a move say so; Pulumi's plugin is named in what it manages. */
function isHeldByProgram(object: MoveObject): boolean {
    const { annotations = {}, managedFields = [] } = object.metadata;
    return (
        (ownerAnnotation in annotations && !isMovable(object)) ||
        managedFields.some(({ manager = "" }) => manager.startsWith("pulumi-kubernetes"))
    );
}
