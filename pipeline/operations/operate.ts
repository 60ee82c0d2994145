import { setTimeout as sleep } from "node:timers/promises";
import type { OutputMap, Stack } from "@pulumi/pulumi/automation";
import { NfvError } from "../../provider/common/errors";
import { cleanOf, hintHere, messageOf } from "../events/clean-text";
import type { PipelineEvent, StageEvent, SummaryEvent } from "../events/events";
import { withRun } from "../outlook/durations";
import { readDurations, writeDurations } from "../outlook/durations-file";
import { withEstimate } from "../outlook/estimate";
import { type Guards, refusals, refuseStrange, refuseUnknownWords } from "../plan/guards";
import { hintOfGuard, type Order, refuseUnread } from "../plan/order";
import { type Plan, withoutRepairs } from "../plan/plan";
import { planHash } from "../plan/plan-hash";
import {
    cancelled,
    changedConfigurationError,
    changedPlanError,
    errorEvent,
    guardError,
    hintOfStop,
    lockedError,
    withOtherHint,
} from "../report/failure";
import { alone, noLock, type OwnLock } from "../stack/own-lock";
import { here, type RunFiles, readRecord, removeRecord, restoreRecord, writeRecord } from "../stack/runner-record";
import { configurationText, type Draft, draftOf, isSameConfiguration, removeLeftDrafts } from "../stack/stack-file";
import { describeLocks, holderOf, isAbandoned, type StackLock } from "../stack/stack-lock";
import { timelineOf } from "../timeline/timeline";
import { aboutRun } from "./about";
import { Engine, type EngineOptions, type Previewed } from "./engine";
import { refuseUnknownNodes, repairing } from "./repair";

export interface RunOptions {
    /** What the plan may do. `guards.allow` replaces what an operation allows by itself. */
    guards?: Guards;
    /** The hash that was approved: a plan with another one does not run. */
    plan?: string;
    /** Asked after the guards; false ends the run with CANCELLED before anything changes. */
    approve?: (plan: Plan) => boolean | Promise<boolean>;
    /** Ends after the plan: neither machines nor configuration change. Guards count. @default false */
    previewOnly?: boolean;
    /** Asks all machines and the cloud before, as `pulumi up --refresh`. @default false */
    refresh?: boolean;
    /** How many resources act at once. @default Pulumi's */
    parallel?: number;
    /** If another run has the stack: end with STACK_LOCKED, or wait for its end and preview again. @default "fail" */
    whenBusy?: "fail" | "wait";
    /** Releases the lock of a killed run, if it is proven dead: a process of this machine that is gone. @default false */
    takeOver?: boolean;
    /** Ends the run and throws CANCELLED: steps that are under way go on to their end on the machines. `abortOnSignals()` is one. */
    signal?: AbortSignal;
    /** Each event as it comes. */
    onEvent?: (event: PipelineEvent) => void;
}

export interface RunResult {
    plan: Plan;
    /** False: only previewed. */
    ran: boolean;
    /** Of the stack, secrets in clear, with `secret: true`. Empty if only previewed or destroyed. */
    outputs: OutputMap;
    summary?: SummaryEvent;
}

/** A stack as operations need it. */
export interface Operated {
    stack: Stack;
    /** Of this stack on this machine. */
    files: RunFiles;
    /** `Pulumi.STACK.yaml`. */
    configuration: string;
    /** Operations write `pulumi-nfv:KEY`. */
    key: string;
}

interface Work {
    site: Operated;
    order: Order;
    options: RunOptions;
    tell: (event: PipelineEvent) => void;
    engine: Engine;
    lock: OwnLock;
    signal: AbortSignal;
}

const waitSeconds = 3;

/** Change the configuration, preview, check guards and the approved hash, then up: one operation from its begin to its end. */
export async function operate(
    site: Operated,
    order: Order,
    options: RunOptions,
    tell: (event: PipelineEvent) => void,
): Promise<RunResult> {
    const signal = options.signal ?? new AbortController().signal;
    const codes = new Set<string | undefined>();
    const events: PipelineEvent[] = [];
    const hintOf = ({ code, hint }: { code?: string; hint?: string }) => {
        const isStop = code === "CANCELLED" && signal.aborted;
        return isStop ? hintOfStop(events.some(isActing), options.plan !== undefined) : hint;
    };
    const telling: Work["tell"] = given => {
        const event = given.type === "error" ? { ...given, ...withHint(hintOf(given)) } : given;
        if (event.type === "error") codes.add(event.code);
        events.push(event);
        tell(event);
    };
    const run = async (lock: OwnLock) => {
        const engine = await Engine.start(repairing(site.stack, order), telling, lock.signal);
        const work = { site, order, options, tell: telling, engine, lock, signal: lock.signal };
        const result = await untilFree(work);
        if (result.ran) record(site.files, events, telling);
        return result;
    };
    try {
        telling(await aboutRun(order.name, site.stack.workspace.workDir));
        refuseStrange(options.guards ?? {});
        // A preview without a changed configuration writes nothing.
        if (options.previewOnly && order.settings.length === 0) return await run(noLock(signal));
        const work = (lock: OwnLock) => {
            removeLeftDrafts(site.configuration);
            return run(lock);
        };
        const of = { path: site.files.lock, stack: site.stack.name, signal };
        return await alone(of, pid => heldHere(site, pid, options, telling), work);
    } catch (error) {
        const isStop = error instanceof NfvError && error.code === "CANCELLED";
        const found = signal.aborted && !isStop ? cancelled(signal) : error;
        const failure = found instanceof NfvError ? withOtherHint(found, hintHere(hintOf(found) ?? found.hint)) : found;
        // Reports are made of the events.
        const { envVars } = site.stack.workspace;
        const told = failure instanceof NfvError ? failure : unexpected(failure, { ...process.env, ...envVars });
        // What broke may be who listens.
        if (!codes.has(told.code)) attemptTo(() => tell(errorEvent(told)));
        throw failure;
    }
}

const isActing = (event: PipelineEvent) =>
    event.type === "stage" && (event.stage === "up" || event.stage === "destroy");

const withHint = (hint: string | undefined) => (hint === undefined ? {} : { hint });

/** For reports: an error that is none of this package, such as a full disk. */
function unexpected(error: unknown, env: Parameters<typeof cleanOf>[1]): NfvError {
    return new NfvError({ code: "RUN_FAILED", cause: cleanOf(messageOf(error), env) });
}

function attemptTo(act: () => void): void {
    try {
        act();
    } catch {
        // the error of the run is the one to tell
    }
}

/** The stack's lock of this machine is still held. What was done is done: a folder that cannot be written fails no run. */
function record({ durations }: RunFiles, events: readonly PipelineEvent[], tell: Work["tell"]): void {
    try {
        const former = readDurations(durations);
        const latter = withRun(former, timelineOf(events));
        if (latter !== former) writeDurations(durations, latter);
    } catch (error) {
        tell(message(`how long this run took was not recorded: ${error instanceof Error ? error.message : error}`));
    }
}

function heldHere(site: Operated, pid: string, { whenBusy }: RunOptions, tell: Work["tell"]): void {
    const text = `process ${pid} of this machine works on the stack`;
    if (whenBusy !== "wait") throw new NfvError({ code: "STACK_LOCKED", cause: `${site.stack.name}: ${text}` });
    tell(stage("wait", text));
}

/** Another run may have changed the stack meanwhile, so each attempt begins with a preview. */
async function untilFree(work: Work): Promise<RunResult> {
    for (let told = ""; ; ) {
        const { result, locks = [] } = await attempt(work);
        if (result !== undefined) return result;
        const { site, options, tell, signal } = work;
        const holders = locks.map(lock => holderOf(lock, readRecord(site.files), here()));
        if (options.takeOver && isAbandoned(locks, holders)) {
            tell(message(`releases the lock of a killed run: ${describeLocks(locks)}`));
            await site.stack.cancel();
            continue;
        }
        if (options.whenBusy !== "wait" || isAbandoned(locks, holders))
            throw lockedError(site.stack.name, locks, holders);
        const text = describeLocks(locks) || "another run";
        if (text !== told) tell(stage("wait", text));
        told = text;
        await sleep(waitSeconds * 1000, undefined, { signal });
    }
}

/** Without a result the stack is locked, and nothing was changed. */
async function attempt(work: Work): Promise<{ result?: RunResult; locks?: StackLock[] }> {
    const { site, order, options, tell } = work;
    const configuration = configurationText(site.configuration);
    const draft = draftOf(site.configuration, site.key, order.settings);
    if (draft) tell(stage("configure"));
    try {
        const { plan, acts } = await previewed(work, draft);
        if (options.previewOnly) return { result: { plan, ran: false, outputs: {} } };
        tell(stage("approve"));
        await approved(work, plan, draft);
        // Approval may take hours, and the file may be checked out again meanwhile.
        const isSame = isSameConfiguration(configuration, configurationText(site.configuration));
        if (!isSame || draft?.isOurs() === false) throw changedConfigurationError(plan, site.configuration);
        work.lock.need();
        return await acted(work, { plan, acts }, draft);
    } finally {
        draft?.discard();
    }
}

/**
 * After this time, in milliseconds, an approved plan is previewed once more: program, state or machines may have changed. `now`: the time of day, which goes on while a
 * laptop sleeps. Tests set it.
 */
export const approval = { fresh: 10_000, now: () => Date.now() };

async function approved(work: Work, plan: Plan, draft: Draft | undefined): Promise<void> {
    const { approve } = work.options;
    if (approve === undefined) return;
    const asked = approval.now();
    if (!(await approve(plan)))
        throw new NfvError({ code: "CANCELLED", cause: "the plan was not approved", hint: "Nothing was changed." });
    const took = approval.now() - asked;
    // Less than nothing: the clock was set.
    if ((took >= 0 && took < approval.fresh) || work.signal.aborted) return;
    work.tell(stage("preview"));
    const { plan: now } = await approvable(work, draft);
    if (now.hash !== plan.hash) throw changedPlanError(now, plan.hash);
}

async function approvable(work: Work, draft: Draft | undefined): Promise<Previewed> {
    const { followedBy } = work.order;
    const found = await work.engine.preview(engineOptions(work, draft));
    if (followedBy === undefined) return found;
    return { ...found, plan: { ...found.plan, followedBy, hash: planHash(found.plan.hash, followedBy) } };
}

async function previewed(work: Work, draft: Draft | undefined): Promise<ToDo> {
    const { site, order, options, tell } = work;
    tell(stage("preview"));
    const { plan: found, words, asked, acts } = await approvable(work, draft);
    const plan = withEstimate(found, readDurations(site.files.durations), options.parallel);
    tell({ type: "plan", time: now(), plan });
    refuseUnread(order, plan, site.key, asked);
    refuseUnknownWords(plan, options.guards ?? {}, words);
    refuseUnknownNodes(order.repairs ?? [], plan, words);
    const guards = { ...(order.allow && { allow: order.allow }), ...options.guards };
    const counted = order.repairs === undefined ? plan : withoutRepairs(plan);
    const reasons = [...refusals(counted, guards), ...(order.beyond?.(plan) ?? [])];
    if (reasons.length > 0) throw guardError(plan, reasons, order, hintOfGuard(plan, order, isByName(plan, options)));
    if (options.plan !== undefined && options.plan !== plan.hash) throw changedPlanError(plan, options.plan);
    return { plan, acts };
}

/** Only the operations that the name of the order allows refuse the plan, and no guard of the caller. */
function isByName(plan: Plan, { guards = {} }: RunOptions): boolean {
    return guards.allow === undefined && refusals(plan, guards).length === 0;
}

type ToDo = Pick<Previewed, "plan" | "acts">;

async function acted(work: Work, { plan, acts }: ToDo, draft: Draft | undefined): ReturnType<typeof attempt> {
    const { site, order, tell, engine, lock, signal } = work;
    if (signal.aborted) throw cancelled(signal);
    const former = readRecord(site.files);
    writeRecord(site.files, order.name, now());
    tell(stage(order.destroys ? "destroy" : "up"));
    const outcome = await engine.act(engineOptions(work, draft), acts, () => {
        lock.need();
        draft?.commit();
    });
    if ("locks" in outcome) {
        // The record of a killed run proves whose the lock is.
        if (lock.isOurs()) restoreRecord(site.files, former);
        return { locks: outcome.locks };
    }
    // The record proves later that the lock of a killed one is left.
    if (!outcome.isKilled && lock.isOurs()) removeRecord(site.files);
    if (outcome.error) throw withWord(outcome.error, order);
    // Pulumi calls a destroy a success that was stopped between two resources.
    if (signal.aborted) throw cancelled(signal);
    return {
        result: { plan, ran: true, outputs: outcome.outputs, ...(outcome.summary && { summary: outcome.summary }) },
    };
}

function engineOptions({ order, options }: Work, draft: Draft | undefined): EngineOptions {
    return {
        destroys: order.destroys === true,
        refresh: options.refresh === true || order.repairs !== undefined,
        ...(options.parallel !== undefined && { parallel: options.parallel }),
        ...(draft && { configFile: draft.file }),
    };
}

/** The word was made, so who runs it again cannot know it. */
function withWord(error: NfvError, { name, madeWord }: Order): NfvError {
    if (madeWord === undefined) return error;
    const word = `The word of this ${name} is ${madeWord}: with --run ${madeWord} the next one does nothing twice.`;
    return withOtherHint(error, `${error.hint} ${word}`);
}

const now = () => new Date().toISOString();

function stage(name: StageEvent["stage"], text?: string): StageEvent {
    return { type: "stage", time: now(), stage: name, ...(text !== undefined && { text }) };
}

function message(text: string): PipelineEvent {
    return { type: "message", time: now(), severity: "warning", text };
}
