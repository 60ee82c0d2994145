import type { CloudStartInputs } from "../cloud/cloud-start-inputs";
import { runFacts } from "../contract/run-facts";
import type { InSession, ResourceType } from "../contract/types";
import { at, changed, failuresOf, text } from "../contract/values";
import { refuseOtherCluster } from "../host/masters-that-stay";
import { versionRefusal } from "../kubernetes/support";
import { apiDuringUpgrade } from "../operation/api-during-upgrade";
import { dueHeal, healProblems, numberHeals } from "../operation/heals";
import { beforeOperation } from "../operation/hooks/before-operation";
import { type Leaving, leavingNodes } from "../operation/leaving-nodes";
import { problemsOfPairs } from "../operation/one-request";
import { type Operation, operationLine } from "../operation/operation";
import type { OperationStartInputs, OperationStartState } from "../operation/operation-start-inputs";
import { numberReplacements, replacedInRun, replacementProblems } from "../operation/replacements";
import { runStartHooks, showHooks } from "./hooks/start-hooks";
import { runLastHooks } from "./hooks/terminate-hooks";
import { infrastructureStart, infrastructures } from "./infrastructure-start";
import { keptOf, refusedInputs, sameKept } from "./kept-inputs";
import { described, findOperations, lostOf, operationsToStart } from "./operations-of-run";

/**
 * The start of each operation, before the infrastructure is changed: determines the operation and prepares the
 * infrastructure.
 */
export const operationStart: ResourceType<OperationStartInputs, OperationStartState> = {
    check: (olds, news, context) => {
        const wrong = [
            ...failuresOf(news, { "spec.clusterName": text, "spec.backEnd": infrastructure }),
            // The identity refuses them too, but --target may leave it out.
            ...refusedInputs(keptOf(olds.keptInputs), keptOf(news.keptInputs)),
            // Before the infrastructure follows another cluster; the machines would refuse it later.
            ...refuseOtherCluster(at(olds, "spec.clusterId"), at(news, "spec.clusterId")),
        ];
        if (wrong.length > 0) return { inputs: news, failures: wrong };
        const unsupported = refusedVersion(olds, news);
        if (unsupported !== undefined) return { inputs: news, failures: [{ property: "", reason: unsupported }] };
        const { inputs, failures = [] } = infrastructureStart(news).check(olds, news);
        const { operations, history } = findOperations(olds, news, context);
        const leaving = leavingOf(olds, news);
        const healing = healProblems(olds, news);
        const replacing = replacementProblems(olds, news);
        const line = operations.length === 0 ? [] : [`operation: ${operationLine(operations)}`];
        const asked = { heal: dueHeal(olds, news)?.nodes ?? [], replaceServers: replacedInRun(olds, news) };
        const pairs = problemsOfPairs(operations, described(olds), described(news), asked);
        const notes = [
            ...line,
            ...apiDuringUpgrade(operations, described(news)),
            ...leaving.notes,
            ...healing.notes,
            ...replacing.notes,
        ];
        const heals = numberReplacements(olds, news, numberHeals(olds, news).heals);
        // The wishes for a heal and for new servers are not stored: their words and numbers are.
        const {
            heal: _,
            replaceServers: __,
            before: ___,
            ...stored
        } = { ...inputs, ...noted(olds, operations), ...(heals && { heals }) };
        const strange = Object.keys(leaving.strange).length > 0 && { strangeNames: leaving.strange };
        return {
            inputs: { ...stored, ...(history && { history }), ...strange },
            failures: [
                ...failures,
                ...[...pairs, ...leaving.wrong, ...healing.wrong, ...replacing.wrong].map(reason => ({
                    property: "",
                    reason,
                })),
            ],
            ...(notes.length > 0 && { notes }),
        };
    },
    checkInCloud: async (olds, news, context) => {
        const problem = await showHooks(hooksOfRun(olds, news, context), news, context);
        if (problem !== undefined) return { failures: [{ property: "hooks", reason: problem }] };
        return (await infrastructureStart(news).checkInCloud?.(olds, news, context)) ?? { failures: [] };
    },
    // Never a replacement: the infrastructure behind it continues to exist.
    diff: (_id, olds, news) => ({
        changes:
            lostOf(olds).length > 0 ||
            // A server that is a resource of its own may be lost, and no input says so.
            (news.hooks !== undefined && olds.operations !== news.operations) ||
            changed(olds, news, compared).length > 0 ||
            !sameKept(olds.keptInputs, news.keptInputs),
    }),
    create: async (inputs, context) => {
        await runStartHooks(operationsToStart({}, inputs.history), inputs, context);
        return { id: `${inputs.spec.clusterName}/operation-start`, outs: settled(inputs) };
    },
    update: async (_id, olds, news, context) => {
        await runStartHooks(operationsToStart(olds, news.history), news, context);
        const prepared = await infrastructureStart(news).prepare?.(olds, news, context);
        return { outs: { ...settled(news), ...prepared } };
    },
    read: async (id, state, context) =>
        (await infrastructureStart(state).read?.(id, state, context)) ?? { id, props: state },
    delete: async (_id, state, context) => {
        if (runFacts(context).program.has(state.resourceUrn)) return;
        await infrastructureStart(state).remove?.(state, context);
        await runLastHooks(state, context);
    },
};

const compared: (keyof CloudStartInputs)[] = [
    "spec",
    "heals",
    "ssh",
    "seed",
    "project",
    "region",
    "generations",
    "images",
    "flavors",
    "retries",
    "stackHash",
    "shapes",
    // See Program.has: after a renaming by alias, the state gets the new one.
    "resourceUrn",
];

const infrastructure = (value: unknown) =>
    infrastructures.includes(String(value)) ? undefined : `must be one of ${infrastructures.join(", ")}`;

/** A cluster that exists is in the state, also if its first run has failed. */
function refusedVersion(olds: Partial<OperationStartInputs>, news: OperationStartInputs): string | undefined {
    const [before, after] = [described(olds), described(news)];
    const to = after?.kubernetesVersion;
    if (to === undefined) return undefined;
    const allowed = news.spec.allowUnsupportedVersion;
    const question = { to, allowed, place: "kubernetes.", ...(before && { from: before.kubernetesVersion }) };
    return versionRefusal(question, new Date());
}

/** What there is to say of the nodes that leave, and of the names in `remove`. */
function leavingOf(olds: Partial<OperationStartInputs>, news: OperationStartInputs): Leaving {
    const [before, after] = [described(olds), described(news)];
    if (before === undefined || after === undefined) return { wrong: [], notes: [], strange: {} };
    const removed = { before: olds.spec?.removed ?? {}, after: news.spec.removed ?? {} };
    return leavingNodes({
        ...{ before: before.nodes, after: after.nodes, removed, lost: lostOf(olds) },
        ...(olds.strangeNames && { strangeBefore: olds.strangeNames }),
    });
}

/**
 * The last operation stays in the state until there is another one, so a run that changes nothing is not an operation.
 */
function noted(
    { operation, operations }: Partial<OperationStartInputs>,
    found: readonly Operation[],
): Pick<OperationStartInputs, "operation" | "operations"> {
    if (found.length === 0) return { operation, operations };
    return { operation: operationLine(found), operations: Number(found.at(-1)!.id) };
}

/** The operations of which this run has hooks. */
function hooksOfRun(olds: Partial<OperationStartInputs>, news: OperationStartInputs, context: InSession) {
    const { history = [] } = findOperations(olds, news, context);
    const { endedHooks, ends } = beforeOperation(context, news.spec.clusterId);
    // The hooks of a scale in run when its nodes go: those that are back in the program stay.
    const goes = (name: string) => ends.includes(name) && !Object.hasOwn(news.spec.nodes, name);
    const ending = history.filter(({ endsWith, removed }) => endsWith !== "deletion" || removed.some(goes));
    return { starting: operationsToStart(olds, history), ending, ended: endedHooks };
}

function settled(inputs: OperationStartInputs): OperationStartState {
    const { missing: _, marked: __, takenOut: ___, ...rest } = inputs as CloudStartInputs;
    return rest;
}
