import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../../common/errors";
import { ApiRefused, type KubeApi } from "../api";
import { settle } from "../client";
import { forEachOf } from "../discovery";
import { groupOf } from "../group-of";
import { type ObjectName, pathOf, type ServedKind, servedKinds, titleOf } from "../ownership";
import { notReadyBelow } from "./below";
import { judge, programRule, type ReadinessRules } from "./judge";
import { notReady } from "./judges";
import { knownRule } from "./known-kinds";
import { type StatusShape, statusShape, unknownShape } from "./status-shape";
import type { LiveObject, Verdict } from "./types";

/** How long an API server that does not answer is asked again at least, in seconds: it may be on its way to another machine. */
const patienceSeconds = 30;
/** How long what may be old must stay as it is, in seconds. */
const confirmSeconds = 3;
const longestPause = 3000;

export interface Waiting {
    api: KubeApi;
    rules: ReadinessRules;
    /** How long an object may take, in seconds. 0: one look. */
    timeoutSeconds: number;
    report(text: string): void;
    warn(text: string): void;
    signal?: AbortSignal | undefined;
}

/**
 * Waits until all objects are ready.
 * @returns why it failed, one text per object; empty if all are ready
 */
export async function untilReady(objects: readonly ObjectName[], waiting: Waiting): Promise<string[]> {
    const states = new Map(objects.map(object => [object, { why: "" } as State]));
    const board = () => {
        const open = [...states].filter(([, { isDone }]) => !isDone);
        const [first] = open.filter(([, { why }]) => why !== "");
        const count = objects.length > 1 ? `${objects.length - open.length} of ${objects.length} ready; ` : "";
        if (first !== undefined) waiting.report(`${count}${titleOf(first[0])}: ${first[1].why}`);
    };
    const failures = await Promise.all(
        [...states].map(([object, state]) => untilThisIsReady(object, state, waiting, board)),
    );
    return failures.filter(failure => failure !== undefined);
}

interface State {
    /** Why it is not ready. */
    why: string;
    isDone?: true;
}

async function untilThisIsReady(
    object: ObjectName,
    state: State,
    { api, rules, timeoutSeconds: usual, warn, signal }: Waiting,
    board: () => void,
): Promise<string | undefined> {
    const timeoutSeconds = programRule(object, rules)?.timeoutSeconds ?? usual;
    const end = Date.now() + timeoutSeconds * 1000;
    let look: Look | undefined;
    let confirmedFrom: number | undefined;
    for (let pause = 300; ; pause = Math.min(pause * 1.5, longestPause)) {
        const patience = Math.max(patienceSeconds, (end - Date.now()) / 1000);
        look ??= await settle(patience, () => lookFor(api, object, rules));
        const seen = await settle(patience, () => look!.see());
        const verdict = seen.verdict;
        if (verdict.ready && verdict.unsure && confirmedFrom === undefined) confirmedFrom = Date.now();
        if (!verdict.ready) confirmedFrom = undefined;
        const isConfirmed =
            !verdict.unsure || timeoutSeconds === 0 || Date.now() - (confirmedFrom ?? 0) >= confirmSeconds * 1000;
        if (verdict.ready && isConfirmed) {
            if (verdict.remark !== undefined) warn(`${titleOf(object)} ${verdict.remark}`);
            state.isDone = true;
            board();
            return undefined;
        }
        if (verdict.why !== state.why) {
            state.why = verdict.why;
            board();
        }
        if (verdict.stuck || (Date.now() >= end && !verdict.ready)) {
            const time = timeoutSeconds === 0 ? "" : ` after ${timeoutSeconds} s`;
            const after = verdict.stuck ? "will not become ready" : `is not ready${time}`;
            const below = seen.object === undefined ? [] : await notReadyBelow(api, seen.object).catch(unlessNfv);
            return [`${titleOf(object)} ${after}: ${verdict.why}`, ...below.map(line => `    ${line}`)].join("\n");
        }
        if (!look.isServed) look = undefined;
        await sleep(pause, undefined, { ...(signal && { signal }) });
    }
}

/** The reason counts, even if what is below cannot be asked. */
function unlessNfv(error: unknown): string[] {
    if (!(error instanceof NfvError)) throw error;
    return [];
}

interface Look {
    /** False: the cluster does not have the kind yet. */
    isServed: boolean;
    see(): Promise<{ verdict: Verdict; object?: LiveObject }>;
}

async function lookFor(api: KubeApi, object: ObjectName, rules: ReadinessRules): Promise<Look> {
    const kind = (await servedKinds(api, object.apiVersion))?.find(each => each.kind === object.kind);
    if (kind === undefined) {
        const verdict = notReady(`the cluster does not have the kind ${object.kind} of ${object.apiVersion}`);
        return { isServed: false, see: async () => ({ verdict }) };
    }
    const shape = hasRule(object, rules) ? unknownShape : await shapeOf(api, object.apiVersion, kind);
    const see = async () => {
        const found = await api.get<LiveObject>(pathOf(object, kind));
        if (found === undefined) return { verdict: notReady("it does not exist") };
        const live = { ...found, apiVersion: object.apiVersion, kind: object.kind };
        return { verdict: judge(live, rules, shape), object: live };
    };
    return { isServed: true, see };
}

function hasRule({ apiVersion, kind }: ObjectName, rules: ReadinessRules): boolean {
    return programRule({ apiVersion, kind }, rules) !== undefined || knownRule(groupOf(apiVersion), kind) !== undefined;
}

/** What the definition of a kind says about its status. Who may not read definitions does not know. */
async function shapeOf(api: KubeApi, apiVersion: string, { name }: ServedKind): Promise<StatusShape> {
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}.${groupOf(apiVersion)}`;
    try {
        return statusShape(await api.get(path), apiVersion.split("/")[1]!);
    } catch (error) {
        if (error instanceof ApiRefused) return unknownShape;
        throw error;
    }
}

/**
 * Waits until the cluster has these kinds: their definitions may be just made, or come from an operator that starts.
 * @returns those that it does not have in time
 */
export async function untilServed(
    kinds: readonly { apiVersion: string; kind: string }[],
    { api, timeoutSeconds, report, signal }: Omit<Waiting, "rules" | "warn">,
): Promise<{ apiVersion: string; kind: string }[]> {
    const end = Date.now() + timeoutSeconds * 1000;
    for (let pause = 300; ; pause = Math.min(pause * 1.5, longestPause)) {
        const versions = [...new Set(kinds.map(({ apiVersion }) => apiVersion))];
        const served = new Map(
            await forEachOf(versions, async each => {
                const patience = Math.max(patienceSeconds, (end - Date.now()) / 1000);
                const found = await settle(patience, () => servedKinds(api, each));
                return [each, found ?? []] as const;
            }),
        );
        const missing = kinds.filter(
            ({ apiVersion, kind }) => !served.get(apiVersion)!.some(each => each.kind === kind),
        );
        if (missing.length === 0 || Date.now() >= end) return missing;
        report(
            `wait for the definition of ${missing.map(({ kind, apiVersion }) => `${kind} of ${apiVersion}`).join(", ")}`,
        );
        await sleep(pause, undefined, { ...(signal && { signal }) });
    }
}
