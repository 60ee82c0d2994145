import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import * as path from "node:path";
import type { Outcome } from "../../dev/pulumi-process";
import type { PulumiProject } from "../../dev/pulumi-project";
import { killTree } from "./kill-tree";

/** "3/14 join the cluster" → "join the cluster" */
const stepTitle = /^\d+\/\d+ (.*?)(?: ?[:(…].*)?$/;

/** What change nothing. */
const quiet = ["same", "read", "refresh"];

/** Title of the step that a line of `pulumi … --json` says has begun. */
export function stepIn(line: string): string | undefined {
    if (!line.startsWith("{")) return undefined;
    const message: string | undefined = JSON.parse(line).diagnosticEvent?.message;
    return message && stepTitle.exec(message.trim())?.[1];
}

/** "create Instance core-storage", for a change of a resource that has begun. */
function changeIn(line: string): string | undefined {
    if (!line.startsWith("{")) return undefined;
    const { op, urn } = JSON.parse(line).resourcePreEvent?.metadata ?? {};
    if (op === undefined || quiet.includes(op)) return undefined;
    const [, , type, name] = urn.split("::");
    return `${op} ${type.split(/[:$]/).at(-1)} ${name}`;
}

export interface KillOptions {
    /** The moment that a line of `pulumi … --json` tells. @default a step or a change of a resource begins */
    momentIn?: (line: string) => string | undefined;
    /** Whether a run is killed at the n-th moment, from 1 on. @default at each */
    isChosen?: (n: number) => boolean;
    /** Resources act side by side, as usual. @default false: one after another, so that each run comes by the same moments */
    sideBySide?: boolean;
    /** What happens after the n-th kill, from 1 on, before the state is unlocked. */
    afterKill?: (n: number) => Promise<void>;
}

/** Starts the run again and again, and kills each as soon as a moment comes that no run before has seen, until one ends by itself. */
export async function killAtEachMoment(
    project: PulumiProject,
    args: string[],
    {
        momentIn = line => changeIn(line) ?? stepIn(line),
        isChosen = () => true,
        sideBySide = false,
        afterKill,
    }: KillOptions = {},
): Promise<{ kills: string[]; moments: number; outcome: Outcome }> {
    const kills: string[] = [];
    const known = new Set<string>();
    for (;;) {
        assert.ok(kills.length < 80, `it makes no progress: ${kills.join("; ")}`);
        let buffer = "";
        let killed = false;
        const order = sideBySide ? [] : ["--parallel", "1"];
        const run = project.start([...args, "--yes", "--skip-preview", "--json", ...order], text => {
            const lines = (buffer + text).split("\n");
            buffer = lines.pop()!;
            for (const line of lines) {
                const moment = momentIn(line);
                if (moment === undefined || killed || known.has(moment)) continue;
                known.add(moment);
                if (!isChosen(known.size)) continue;
                kills.push(moment);
                killed = true;
                killTree(run.pid);
            }
        });
        const outcome = await run.done;
        if (!killed) return { kills, moments: known.size, outcome };
        await afterKill?.(kills.length);
        await project.stack.cancel().catch(error => cancelWithFormerState(error, project));
    }
}

/** Kills `pulumi up` at the first message of each of these stages, until one ends by itself. There must be at least four. */
export async function killedAtEachStage(project: PulumiProject, stages: RegExp): Promise<void> {
    const { kills, outcome } = await killAtEachMoment(project, ["up"], {
        momentIn: line => {
            if (!line.startsWith("{")) return undefined;
            return stages.exec(JSON.parse(line).diagnosticEvent?.message ?? "")?.[0];
        },
    });
    assert.equal(outcome.code, 0, outcome.output);
    console.log(`        killed at: ${kills.join("; ")}`);
    assert.ok(kills.length >= 4, `killed only at: ${kills.join("; ")}`);
}

/** Pulumi's file backend moves the state away before it writes it: a kill in between leaves none, and what a user does then is in docs/how-it-works.md. */
async function cancelWithFormerState(error: unknown, project: PulumiProject): Promise<void> {
    if (!/failed to load checkpoint/.test(String(error))) throw error;
    const folder = path.join(project.stateFolder, ".pulumi/stacks");
    const [former] = fs
        .readdirSync(folder, { recursive: true })
        .map(String)
        .filter(file => file.endsWith(".json.bak"));
    console.log(`      the state was being written when the run was killed: ${former} takes its place`);
    fs.copyFileSync(path.join(folder, former!), path.join(folder, former!.replace(/\.bak$/, "")));
    await project.stack.cancel();
}
