import type { CloudStartInputs, CloudStartSpec } from "../cloud/cloud-start-inputs";
import type { InSession } from "../contract/types";
import { hasUnknown, unknownValue } from "../contract/values";
import { classify } from "../operation/classify";
import { dueHeal } from "../operation/heals";
import { beforeOperation } from "../operation/hooks/before-operation";
import type { RecordedOperation } from "../operation/hooks/facts";
import type { ClusterDescription, Operation } from "../operation/operation";
import {
    type OperationNode,
    type OperationStartInputs,
    type OperationStartSpec,
    unknownSetting,
} from "../operation/operation-start-inputs";
import { dueReplacement } from "../operation/replacements";
import { takenBack } from "../operation/taken-back";
import { infrastructureStart } from "./infrastructure-start";

/*
 * Which operations lead from what the last run stored of a cluster to what this run's program asks for.
 */

/** The operations of this run, and with hooks those whose end the state does not have. */
interface Found {
    operations: Operation[];
    history?: RecordedOperation[];
}

/** Without hooks nothing needs to know of an operation after its run, so none is kept, and none is known to be taken back. */
export function findOperations(
    olds: Partial<OperationStartInputs>,
    news: OperationStartInputs,
    context: InSession | undefined,
): Found {
    const { spec, hooks } = news;
    if (hooks === undefined || context === undefined) return { operations: operationsOf(olds, news) };
    const { completed, ends, lost } = beforeOperation(context, spec.clusterId);
    const found = operationsOf(olds, news, lost);
    const waits = ({ endsWith, removed }: RecordedOperation) =>
        endsWith === "deletion" && removed.some(name => ends.includes(name));
    // The first preview has no id of the cluster by which it could be found.
    const isKnown = !hasUnknown([news.before]);
    const open = (olds.history ?? []).filter(each => isKnown && (Number(each.id) > completed || waits(each)));
    const [before, after] = [described(olds), described(news)];
    const { operations, ids } = takenBack(open, found, valuesOf(after));
    const made = operations.map((operation): RecordedOperation => {
        const isLater = infrastructureStart({ spec }).leavesFirst !== true && endsAfterDeletion(operation, ends);
        const values = valuesOf(before);
        return {
            ...operation,
            before: before?.nodes ?? {},
            after: after?.nodes ?? {},
            ...(operation.changed.length > 0 && {
                former: Object.fromEntries(operation.changed.map(name => [name, values[name]])),
            }),
            ...(isLater && { endsWith: "deletion" }),
        };
    });
    const history = [...open.filter(({ id }) => !ids.includes(id)), ...made];
    return { operations, history };
}

/** Those that the state does not have: their start hooks have not run. */
export function operationsToStart(
    { operations = 0 }: Partial<OperationStartInputs>,
    history: readonly RecordedOperation[] = [],
): readonly RecordedOperation[] {
    return history.filter(({ id }) => Number(id) > operations);
}

/**
 * Nodes that leave are deleted after everything else, with OperationEnd among it. So the last deletion runs the `_end` hooks of such an operation: see
 * node-end.ts.
 */
export function endsAfterDeletion(
    { kind, direction, removed }: Pick<RecordedOperation, "kind" | "direction" | "removed">,
    ends: readonly string[],
): boolean {
    return kind === "scale" && direction === "in" && removed.length > 0 && removed.every(name => ends.includes(name));
}

/** The operations that lead from the state to the program. */
export function operationsOf(
    olds: Partial<OperationStartInputs>,
    news: OperationStartInputs,
    alsoLost: readonly string[] = [],
): Operation[] {
    const [before, after] = [described(olds), described(news)];
    if (after === undefined) return [];
    const { nodes, jump } = news.spec as Partial<CloudStartSpec>;
    const lost = [...lostOf(olds), ...alsoLost].filter(name => Object.hasOwn(nodes ?? {}, name) || name === jump?.name);
    const asked = dueHeal(olds, news) ?? newServers(olds, news);
    return classify(before && { ...before, operations: olds.operations, lost }, { ...after, ...(asked && { asked }) });
}

/** The nodes that get new servers, as an operation names them. */
function newServers(olds: Partial<OperationStartInputs>, news: OperationStartInputs): ClusterDescription["asked"] {
    const due = olds.spec === undefined ? undefined : dueReplacement(olds, news);
    return due && due.nodes.length > 0 ? { run: due.run, nodes: due.nodes, how: "new servers" } : undefined;
}

/** Undefined if there is no description, or if it is not known yet. */
export function described({ spec }: Partial<OperationStartInputs>): ClusterDescription | undefined {
    if (spec === undefined || (spec as unknown) === unknownValue) return undefined;
    const { kubernetesVersion, endpoint, settings } = withoutUnknown(spec) as Partial<OperationStartSpec>;
    const nodes = (spec.nodes as unknown) === unknownValue ? {} : spec.nodes;
    return {
        nodes: Object.fromEntries(Object.entries(nodes).map(([name, node]) => [name, nodeOf(node)])),
        kubernetesVersion,
        endpoint,
        settings: settings && (withoutUnknown(settings) as ClusterDescription["settings"]),
        ...(spec.ontoNew && { ontoNew: true }),
        ...(infrastructureStart({ spec }).leavesFirst && { leavesFirst: true }),
    };
}

function nodeOf({ role, pool, machine }: OperationNode): OperationNode {
    return withoutUnknown({ role, pool, machine }) as unknown as OperationNode;
}

/** The same keys, with undefined for unknown values. */
function withoutUnknown(values: object): Record<string, unknown> {
    const isOpen = (value: unknown) => value === unknownValue || value === unknownSetting;
    return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, isOpen(value) ? undefined : value]));
}

/** Input → its value, as `changed` of an operation names it. */
function valuesOf({
    settings = {},
    kubernetesVersion,
    endpoint,
}: Partial<ClusterDescription> = {}): Record<string, string | undefined> {
    return { ...settings, "kubernetes.version": kubernetesVersion, "controlPlane.endpoint": endpoint };
}

/** Names of servers that a refresh found lost. */
export function lostOf(state: Partial<OperationStartInputs>): string[] {
    return Object.keys((state as Partial<CloudStartInputs>).missing ?? {});
}
