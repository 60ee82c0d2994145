import { accessSync, constants, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { NfvError } from "../../common/errors";
import { whyUnreadable } from "../../common/given-file";
import type { HookFacts, HookResult } from "./contract";
import { runGuarded } from "./guarded-child";
import type { HookSpec } from "./hook-spec";
import { selected } from "./node-selection";
import { runOnNode } from "./on-node";
import type { HookTools } from "./tools";

/** What is wrong with a script's file; undefined: nothing. */
export function scriptProblem({ files: [file], nodes }: HookSpec, folder: string): string | undefined {
    const path = resolve(folder, file!);
    try {
        accessSync(path, nodes === undefined ? constants.R_OK | constants.X_OK : constants.R_OK);
        return statSync(path).isDirectory() ? `${file} is a folder; give the file of the script` : undefined;
    } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === "EACCES") return `${file} is not executable: chmod +x ${file}`;
        return whyUnreadable(file!, error);
    }
}

/** Runs the script where the hook says. */
export async function runScript(hook: HookSpec, facts: HookFacts, tools: HookTools): Promise<HookResult> {
    return hook.nodes === undefined ? runHere(hook, facts, tools) : runOnNodes(hook, facts, tools);
}

/** The most that a message keeps of a script's output. */
const keptLines = 20;

async function runHere({ files: [file], name }: HookSpec, facts: HookFacts, tools: HookTools): Promise<HookResult> {
    const program = resolve(tools.folder, file!);
    const own = mkdtempSync(join(tmpdir(), "pulumi-nfv-hook-"));
    const result = join(own, "result.json");
    const last: string[] = [];
    try {
        const code = await runGuarded({
            program,
            cwd: dirname(program),
            env: { ...environment(process.env), ...simpleValues(facts), PULUMI_NFV_RESULT: result },
            input: JSON.stringify(facts),
            onLine: line => {
                last.push(line);
                if (last.length > keptLines) last.shift();
                tools.report(line);
                tools.printed(line);
            },
            signal: tools.signal,
        });
        // Told to end, it may have left something: that is kept, and the attempt still counts as failed.
        if (code === 0 || tools.signal.aborted) return resultIn(result);
        const cause = [`${file} ended with exit code ${code}`, ...last].join("\n");
        throw Object.assign(new NfvError({ code: "HOOK_FAILED", cause }), resultOfFailure(result));
    } catch (error) {
        throw named(error, name);
    } finally {
        rmSync(own, { recursive: true, force: true });
    }
}

async function runOnNodes(hook: HookSpec, facts: HookFacts, tools: HookTools): Promise<HookResult> {
    const { before, after } = facts.nodes;
    const all = facts.event.endsWith("Start") ? before : after;
    const fit = selected(all, { ...hook.nodes, first: false });
    const reasons = await Promise.all(fit.map(({ name }) => tools.whyLeftOut(name)));
    const leftOut = fit.flatMap(({ name }, i) => (reasons[i] === undefined ? [] : [`${name}: ${reasons[i]}`]));
    if (leftOut.length > 0) tools.warn(`hook ${hook.name}: left out:\n${leftOut.join("\n")}`);
    const takePart = fit.filter((_, i) => reasons[i] === undefined);
    const nodes = selected(takePart, hook.nodes!);
    if (nodes.length === 0) tools.warn(`hook ${hook.name}: no node of the cluster fits its nodes: it ran nowhere`);
    const text = readFileSync(resolve(tools.folder, hook.files[0]!), "utf8");
    // Workers need no administrator's access, and a node's disk is no place for it.
    const { kubeconfig: _, ...cluster } = facts.cluster;
    // The script's text is no secret: as one, each of its lines would be masked where it is printed.
    const secrets = { facts: JSON.stringify({ ...facts, cluster }) };
    // Each attempt is told its number, but a node that has done its part must not do it again: that is no part of `env`.
    const { PULUMI_NFV_ATTEMPT: __, ...env } = simpleValues(facts);
    const command = { script: onNode, env: { ...env, HOOK_SCRIPT: text }, secrets };
    const place = { facts, hash: hook.hash, number: 1, timeoutSeconds: hook.timeoutSeconds };
    const runOn = async (name: string) => tools.printed(await runOnNode(name, command, place, tools), name);
    const ends = await Promise.allSettled(nodes.map(({ name }) => runOn(name)));
    // One that fails does not stop the others.
    const failed = ends.find(end => end.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    return {};
}

/** $SECRETS may be mounted noexec, and is gone after the step. */
const onNode = `
set -eu
hook=$(mktemp -d)
trap 'rm -rf "$hook"' EXIT
printf '%s\n' "$HOOK_SCRIPT" >"$hook/hook"
chmod 700 "$hook/hook"
export PULUMI_NFV_EVENT PULUMI_NFV_HOOK PULUMI_NFV_OPERATION PULUMI_NFV_OPERATION_ID PULUMI_NFV_CLUSTER PULUMI_NFV_CLUSTER_ID
export PULUMI_NFV_ADDED PULUMI_NFV_REMOVED PULUMI_NFV_REPLACED
"$hook/hook" <"$SECRETS/facts"
`;

/** The simple values as environment, besides the JSON on standard input. */
export function simpleValues({
    etsiEvent,
    hook,
    operation,
    nodes,
    cluster,
    attempt,
}: HookFacts): Record<string, string> {
    return {
        PULUMI_NFV_EVENT: etsiEvent,
        PULUMI_NFV_HOOK: hook,
        PULUMI_NFV_OPERATION: operation.kind,
        PULUMI_NFV_OPERATION_ID: operation.id,
        PULUMI_NFV_CLUSTER: cluster.name,
        PULUMI_NFV_CLUSTER_ID: cluster.id,
        PULUMI_NFV_ADDED: nodes.added.join(" "),
        PULUMI_NFV_REMOVED: nodes.removed.join(" "),
        PULUMI_NFV_REPLACED: nodes.replaced.join(" "),
        PULUMI_NFV_ATTEMPT: String(attempt),
    };
}

/** Ours, without what the engine gives its plugins: secrets of the backend are none of a hook's business, and what this run may do is nothing for another stack. */
function environment(ours: NodeJS.ProcessEnv): Record<string, string> {
    const secret = /^(PULUMI_CONFIG_PASSPHRASE.*|PULUMI_ACCESS_TOKEN|PULUMI_NFV_(PLAN|INPUTS|REPAIR).*)$/;
    return Object.fromEntries(
        Object.entries(ours).filter(([name, value]) => value !== undefined && !secret.test(name)),
    ) as Record<string, string>;
}

function resultIn(file: string): HookResult {
    let text: string;
    try {
        text = readFileSync(file, "utf8");
    } catch {
        return {};
    }
    try {
        const { errorHandlingData } = JSON.parse(text);
        return errorHandlingData === undefined ? {} : { errorHandlingData };
    } catch (error) {
        throw new NfvError({
            code: "HOOK_FAILED",
            cause: `$PULUMI_NFV_RESULT has no JSON: ${(error as Error).message}`,
        });
    }
}

/** It may have failed while it wrote. */
function resultOfFailure(file: string): HookResult {
    try {
        return resultIn(file);
    } catch {
        return {};
    }
}

function named(error: unknown, hook: string): unknown {
    if (!(error instanceof NfvError) || error.step !== undefined) return error;
    const { code, reason, hint, output } = error;
    const left = "errorHandlingData" in error ? { errorHandlingData: error.errorHandlingData } : {};
    return Object.assign(new NfvError({ code, step: `hook ${hook}`, cause: reason, hint, output }), left);
}
