import { type ErrorCode, NfvError } from "../../common/errors";
import { isGivenUp } from "../../contract/give-up";
import type { Context } from "../../contract/types";
import { renderKubeconfig } from "../../identity";
import { awayOrReplaced, connectTo } from "../../machine/machine";
import { beforeOperation } from "../../operation/hooks/before-operation";
import type { HookCluster, HookFacts } from "../../operation/hooks/contract";
import { type DueHook, describeDue, dueHooks, type KnownHook, keyOf } from "../../operation/hooks/due";
import type { HookMoment } from "../../operation/hooks/events";
import type { KnownMachine, RecordedOperation } from "../../operation/hooks/facts";
import { hashOfHook } from "../../operation/hooks/hash";
import type { ClusterHooks, HookReach } from "../../operation/hooks/hook-inputs";
import type { HookSpec } from "../../operation/hooks/hook-spec";
import { kinds } from "../../operation/hooks/kinds";
import { isSkipped, runHook, skipVariable } from "../../operation/hooks/run-hook";
import { secretKey } from "../../operation/hooks/tacker/secret-values";
import type { HookTools } from "../../operation/hooks/tools";
import type { Connection } from "../../ssh";
import { query } from "../../steps/query";
import { linesOfSecret, redact } from "../../steps/redact";
import { apiOf, type ClusterAccess } from "../../vim/check-cluster";

/** One moment of a run's operations, with all that hooks may ask. */
export interface HookMomentInputs {
    hooks: ClusterHooks;
    operations: readonly RecordedOperation[];
    moment: HookMoment;
    clusterId: string;
    kubernetesVersion?: string;
    /** Machines are reached by it, and the API. */
    reach: HookReach;
    /** The nodes' machines before and after the operation. */
    machines: { before: Record<string, KnownMachine>; after: Record<string, KnownMachine> };
    /** Keys of hooks that have ended in an earlier run. */
    ended?: readonly string[];
}

/** A hook failed after others had ended well: their keys. */
export class HooksStopped extends Error {
    constructor(
        readonly ended: string[],
        readonly failure: unknown,
    ) {
        super(failure instanceof Error ? failure.message : String(failure));
    }
}

/** The hooks with the events for which each has a part. @throws INVALID_INPUT: a hook cannot be used */
export function knownHooks({ list }: ClusterHooks): Promise<KnownHook[]> {
    return Promise.all(
        list.map(async hook => {
            const events = kinds[hook.kind].eventsOf(hook, folder());
            // A destroy must be possible after the files are gone.
            return { hook, events: await (isSkipped(hook.name) ? events.catch(() => hook.events ?? []) : events) };
        }),
    );
}

/** The operations of which a run has hooks. */
export interface OperationsOfRun {
    /** Those that begin. */
    starting: readonly RecordedOperation[];
    /** Those that end: also some that an earlier run has begun. */
    ending: readonly RecordedOperation[];
    /** Keys of hooks that have ended. */
    ended: readonly string[];
}

/** One line for each hook that these operations run, in their order. */
export async function describeHooks(
    hooks: ClusterHooks,
    { starting, ending, ended }: OperationsOfRun,
): Promise<string[]> {
    const known = await knownHooks(hooks);
    for (const hook of hooks.list) refuseOtherFiles(hook);
    const leftOut = ({ hook }: DueHook) => (isSkipped(hook.name) ? `: does not run, ${skipVariable} names it` : "");
    const due = [...dueHooks(known, starting, "start"), ...dueHooks(known, ending, "end")];
    return due.filter(each => !ended.includes(keyOf(each))).map(each => `${describeDue(each)}${leftOut(each)}`);
}

/**
 * The program has read the files of its hooks from its own folder. In an inline program of the Automation API that may be another one than this
 * process works in. @throws INVALID_INPUT where other files would run
 */
function refuseOtherFiles(hook: HookSpec): void {
    // A destroy finds what is there: it has no program, and so does not come here.
    if (isSkipped(hook.name) || hashOfHook(hook, folder()) === hook.hash) return;
    throw new NfvError({
        code: "INVALID_INPUT",
        cause: `hook ${hook.name}: ${hook.files.join(", ")} in ${folder()}, where hooks run, is not what the program has read`,
        hint:
            "Do not change the files of hooks during a run. In an inline program of the Automation API, give absolute paths: join(__dirname, …); " +
            "relative ones start from the folder `main` of projectSettings when the hook runs, and from the working directory of your process before.",
    });
}

/**
 * Runs the hooks of one moment, one after another. Returns the keys of all that have ended.
 * @throws HooksStopped
 */
export async function runHooks(inputs: HookMomentInputs, context: Context): Promise<string[]> {
    const { hooks, operations, moment, clusterId, machines } = inputs;
    const ended = [...(inputs.ended ?? [])];
    try {
        const due = dueHooks(await knownHooks(hooks), operations, moment);
        const cluster = clusterOf(inputs);
        for (const each of due) {
            if (ended.includes(keyOf(each))) continue;
            context.report(`hook ${describeDue(each)}`);
            await runHook({
                due: each,
                moment: { moment, cluster, stack: stackOf(context.urn), machines },
                tools: toolsFor(each, inputs, clusterId, context),
            });
            ended.push(keyOf(each));
        }
        return ended;
    } catch (error) {
        throw new HooksStopped(ended, error);
    }
}

/** The provider's process works in the program's folder. */
const folder = () => process.cwd();

function clusterOf({ hooks, clusterId, kubernetesVersion, reach: { access } }: HookMomentInputs): HookCluster {
    const { clusterName: name } = hooks;
    const own = { id: clusterId, name, ...(kubernetesVersion !== undefined && { kubernetesVersion }) };
    return access === undefined ? own : { ...own, ...reached(name, access) };
}

function reached(name: string, { endpoint, caCertificate, auth }: ClusterAccess): Partial<HookCluster> {
    const { clientCertificate, clientKey } = auth;
    const known = { endpoint, ...(caCertificate !== undefined && { caCertificate }) };
    if (caCertificate === undefined || clientCertificate === undefined || clientKey === undefined) return known;
    const kubeconfig = renderKubeconfig({
        name,
        endpoint,
        ca: caCertificate,
        clientCert: clientCertificate,
        clientKey,
    });
    return { ...known, kubeconfig };
}

function toolsFor(
    due: DueHook,
    { reach }: HookMomentInputs,
    clusterId: string,
    context: Context,
): Omit<HookTools, "printed"> {
    const secrets = secretsOf(due, reach);
    const { engine } = context.session;
    const hide = (text: string) => redact(text, secrets);
    const clean = (say: (text: string) => void) => (text: string) => say(hide(text));
    const prefix = (text: string) => `${due.hook.name}: ${text}`;
    return {
        folder: folder(),
        clusterId,
        ...(engine !== undefined && { engine }),
        machineOf: name => {
            const machine = Object.hasOwn(reach.machines, name) ? reach.machines[name] : undefined;
            if (machine !== undefined) return { name, connection: connectTo(context, machine.connection) };
            throw new NfvError({
                code: "HOOK_FAILED",
                node: name,
                cause: "this run does not know how the node is reached",
                hint: `Nodes that the hook can reach: ${Object.keys(reach.machines).join(", ") || "none"}.`,
            });
        },
        whyLeftOut: name => whyLeftOut(name, due, { reach, clusterId }, context),
        ...(reach.access && { api: apiOf(reach.access) }),
        redact: hide,
        report: clean(text => context.report(prefix(text))),
        note: clean(text => context.note(prefix(text))),
        warn: clean(context.warn),
        tell: clean(context.note),
        signal: context.signal ?? new AbortController().signal,
    };
}

/**
 * Why a script for nodes leaves one out. The operation that takes out or replaces a node must not wait for it: an operation that failed may have left it
 * in the program without a machine, and a machine that is healed may be dead. Any other node that does not answer fails the hook.
 */
async function whyLeftOut(
    name: string,
    { operation, event }: DueHook,
    { reach, clusterId }: Pick<HookMomentInputs, "reach" | "clusterId">,
    context: Context,
): Promise<string | undefined> {
    const machine = Object.hasOwn(reach.machines, name) ? reach.machines[name] : undefined;
    // Without any machine, the run was not told of them: the hook must not end well unseen.
    if (machine === undefined) return Object.keys(reach.machines).length === 0 ? undefined : "no run has finished it";
    // At an end, a machine that was made again answers under the name.
    if (!event.endsWith("Start")) return undefined;
    if (isGivenUp(clusterId, name)) return "it was given up by name";
    if (beforeOperation(context, clusterId).lost.includes(name))
        return "it is lost: its server does not exist any more";
    if (!operation.replaced.includes(name)) return undefined;
    const { code, reason } = await whyNoAnswer(connectTo(context, machine.connection));
    return code !== undefined && awayOrReplaced.has(code) ? `it is replaced, and ${reason}` : undefined;
}

/** Undefined: it answers. */
async function whyNoAnswer(connection: Connection): Promise<{ code?: ErrorCode; reason?: string }> {
    try {
        await query(connection, { step: "look whether it answers", script: ":", timeoutSeconds: 20 });
        return {};
    } catch (error) {
        if (error instanceof NfvError) return error;
        throw error;
    }
}

/** What a hook is told and must not show: it may print its input. */
function secretsOf({ hook }: DueHook, { access, machines }: HookReach): string[] {
    const { clientKey, bearerToken } = access?.auth ?? {};
    const logins = Object.values(machines).flatMap(({ connection: { privateKey, password } }) => [
        privateKey,
        password,
    ]);
    // The kubeconfig has the key in this form.
    const encoded = clientKey === undefined ? undefined : Buffer.from(clientKey).toString("base64");
    return [clientKey, encoded, bearerToken, ...logins, ...textsIn(hook.parameters)]
        .filter(each => typeof each === "string")
        .flatMap(linesOfSecret)
        .flatMap(each => [each, JSON.stringify(each).slice(1, -1)]);
}

/** All texts and numbers in the parameters that may be secret: short words are not, unless their name says so. */
function textsIn(value: unknown, isNamed = false): string[] {
    if (typeof value === "string" || typeof value === "number")
        return String(value).length >= (isNamed ? 4 : 8) ? [String(value)] : [];
    if (value === null || typeof value !== "object") return [];
    return Object.entries(value).flatMap(([name, each]) => textsIn(each, isNamed || secretKey.test(name)));
}

/** "urn:pulumi:STACK::PROJECT::TYPE::NAME" */
function stackOf(urn: string): HookFacts["stack"] {
    const [stack = "", project = ""] = urn.split("::");
    return { project, name: stack.replace(/^urn:pulumi:/, "") };
}
