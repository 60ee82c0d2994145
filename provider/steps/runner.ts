import { NfvError } from "../common/errors";
import { unfinished } from "./agent";
import type { EndedStep } from "./batch";
import { realClock } from "./clock";
import { isStale, stale } from "./plan";
import { StepProgress } from "./progress";
import { actFingerprint, isStoppable } from "./protocol";
import type { RunContext } from "./run-context";
import { type BatchEnd, Session } from "./session";
import { StepsFailed } from "./step-error";
import { StepRun } from "./step-run";
import type { Act, Fingerprints, ProgressListener, Step } from "./types";

/**
 * Brings a node to the state that `steps` describe: takes its lease, waits for what a dead run left running, and does
 * the steps that are not recorded yet. Returns id → fingerprint of all `steps`. @throws StepsFailed
 */
export async function runSteps(steps: readonly Step[], context: RunContext): Promise<Fingerprints> {
    const { node, clusterId, connection, forNode, report, signal, clock = realClock, leaseSeconds = 30 } = context;
    const session = new Session({ node, clusterId, connection, forNode, clock, leaseSeconds, report, signal });
    let done = context.done;
    let unheard: readonly string[] = [];
    const isRecorded = (id: string) => done[id] !== undefined && done[id] !== unfinished;
    const mayBegin = (ids: readonly string[]) => {
        unheard = ids;
    };
    // A step that may have begun, and whose end was not heard, is in no state that the records know.
    const holds = ({ id, fingerprint }: Step) => isRecorded(id) && (!unheard.includes(id) || done[id] === fingerprint);
    const reached = () => Object.fromEntries(steps.filter(holds).map(({ id }) => [id, done[id]!]));
    try {
        const opened = await session.open();
        // A machine without a journal was rebuilt: the resource's records are no longer true.
        const rebuilt = Object.keys(opened.done).length === 0 && Object.keys(opened.running).length === 0;
        done = rebuilt ? {} : { ...done, ...opened.done };
        const note = ({ id, fingerprint, code }: EndedStep) => {
            done = { ...done, [id]: code === 0 ? fingerprint : unfinished };
        };
        for (const [id, fingerprint] of Object.entries(opened.running)) {
            if (isStoppable(fingerprint)) await session.stop(id);
            // Which steps the dead run sent is unknown.
            mayBegin(steps.map(step => step.id));
            await waitForFormer(id, steps, session, report, note);
            mayBegin([]);
        }
        const todo = stale(steps, done);
        for (const step of todo) context.begin?.(step);
        if (todo.some(bringsSecrets)) await context.beforeSecrets?.();
        const act = (each: Act, label: string) => actForNode(each, label, context);
        const runs = todo.map((step, i) => {
            const label = context.label ?? `${i + 1}/${todo.length} ${step.title}`;
            return new StepRun(step, label, session, { ...context, clock }, act);
        });
        for (;;) {
            const rest = runs.filter(({ step }) => isStale(step, done));
            if (rest.length === 0) return reached();
            signal?.throwIfAborted();
            const [{ step, isElsewhere }] = rest as [StepRun, ...StepRun[]];
            mayBegin([step.id]);
            if (isRecorded(step.id) && isElsewhere) await session.record(step.id, unfinished);
            const more = await advance(rest, session, { note, mayBegin, said: context.said });
            done = { ...done, ...more };
            mayBegin([]);
        }
    } catch (error) {
        throw new StepsFailed(toNfvError(error, signal), reached(), node);
    } finally {
        await session.close();
    }
}

/** What an act needs. `node` and `connection` are those of the machine on which it is done. */
export type ActContext = Pick<
    RunContext,
    "node" | "clusterId" | "connection" | "forNode" | "report" | "signal" | "clock" | "label"
>;

/**
 * Carries out an act, whatever was done before. Returns its answer, or what it printed if it gives none. @throws
 * StepsFailed
 */
export async function runAct(act: Act, context: ActContext): Promise<string> {
    // The log of the machine's own batches would keep the answer.
    if (act.answers && context.forNode === undefined) throw new Error(`${act.id} answers, so it acts for another node`);
    const label = context.label ?? `${act.title} (${context.forNode ?? context.node})`;
    const fingerprint = actFingerprint(act.stoppable ?? false);
    let answer = "";
    const said = (text: string) => {
        answer = text;
    };
    await runSteps([{ ...act, revision: 1, fingerprint }], { ...context, done: {}, label, said });
    return answer;
}

/** What a control-plane node prepares for it is secret, too. */
const bringsSecrets = ({ files, secrets, preparation }: Step) =>
    files?.some(file => file.secret) || secrets !== undefined || preparation !== undefined;

/** On a control-plane node, for the run's node. */
async function actForNode(act: Act, label: string, context: RunContext): Promise<string> {
    const { node: forNode, clusterId, report, signal, clock } = context;
    if (context.controlPlane === undefined) {
        throw new NfvError({ code: "NO_CONTROL_PLANE", step: act.title, cause: "this step needs one" });
    }
    const { name: node, connection } = await context.controlPlane();
    return runAct(act, { node, connection, forNode, clusterId, report, signal, clock, label });
}

/** Waits for what a dead run left running on the node. */
async function waitForFormer(
    id: string,
    steps: readonly Step[],
    session: Session,
    report: ProgressListener,
    end: (step: EndedStep) => void,
): Promise<void> {
    let progress: StepProgress | undefined;
    const begin = (step: string) => {
        progress?.end();
        const title = steps.find(each => each.id === step)?.title ?? step;
        progress = new StepProgress(`still running: ${title}`, report, []);
    };
    begin(id);
    try {
        await session.waitFor(id, { begin, output: (_, text) => progress?.output(text), end });
    } finally {
        progress?.end();
    }
}

interface Listener {
    /** The end of a step was heard. */
    note: (step: EndedStep) => void;
    /** From now on these steps may have begun without our knowledge, and no others. */
    mayBegin: (ids: readonly string[]) => void;
    said?: (text: string) => void;
}

/**
 * Runs the first of the steps and, in the same call, those after it that need nothing from the operator's side. Returns
 * the steps that were done in addition to those passed to `note`.
 */
async function advance(
    rest: readonly StepRun[],
    session: Session,
    { note, mayBegin, said }: Listener,
): Promise<Fingerprints> {
    const [head] = rest;
    const ready = await head.prepare();
    if (ready === "done") return { [head.step.id]: head.step.fingerprint };
    if (ready === "again") return {};
    const others = rest.slice(1);
    const end = others.findIndex(run => !run.isPlain);
    const batch = [head, ...others.slice(0, end < 0 ? others.length : end)];
    const known = (id: string) => batch.find(run => run.step.id === id);
    let failed: { run: StepRun; ended: EndedStep } | undefined;
    let heard = false;
    let ended: BatchEnd;
    // If the connection is lost for good, the node may go on to any of them.
    mayBegin(batch.map(({ step }) => step.id));
    try {
        ended = await session.run(
            batch.map(run => run.encode()),
            {
                begin: id => known(id)?.begin(),
                output: (id, text) => known(id)?.add(text),
                answer: (id, text) => known(id)?.addAnswer(text),
                end: step => {
                    const run = known(step.id);
                    heard ||= run !== undefined;
                    run?.pause();
                    note(step);
                    if (run && step.code === 0) said?.(run.said);
                    if (run && step.code !== 0) failed = { run, ended: step };
                },
            },
        );
    } finally {
        for (const run of batch) run.pause();
    }
    // Those behind one that failed did not begin.
    if (ended.how === "ended" && heard) mayBegin([]);
    if (failed) await failed.run.failedOnNode(failed.ended);
    // The batch ended, but the end of none of its steps was reported. That is a protocol error; without a limit,
    // retrying could loop.
    if (ended.how === "ended" && !heard && !failed) head.vanished();
    if (ended.how === "vanished") batch.find(({ step }) => isStale(step, ended.done))?.vanished();
    return ended.done;
}

function toNfvError(error: unknown, signal?: AbortSignal): NfvError {
    if (error instanceof NfvError) return error;
    if (signal?.aborted) return new NfvError({ code: "CANCELLED", cause: "the run was stopped" });
    const cause = error instanceof Error ? error.message : String(error);
    return new NfvError({ code: "STEP_FAILED", cause, output: error instanceof Error ? error.stack : undefined });
}
