import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Attempt } from "./facts";
import { isAlive, itself, type Process } from "./process-identity";

/** Environment variable: the folder for records of hooks. A pipeline without a lasting disk may name one. */
export const recordsVariable = "PULUMI_NFV_HOOK_RECORDS";

interface Written {
    /** Event → its attempts. */
    events: Record<string, { attempt: number; running?: Process; done?: true }>;
    /** Tells the operation from another one with the same number: a state may have been restored. */
    mark?: string;
    errorHandlingData: Record<string, unknown>;
}

/**
 * What is known on this machine of a hook in one operation: the engine writes no state when a run is killed, or when the operation's start fails.
 * Only the owner may read it: what a hook leaves may be secret.
 */
export class HookRecord {
    private readonly folder: string;
    private readonly file: string;

    /** `mark`: what distinguishes the operation from another one with its number. */
    constructor(
        clusterId: string,
        operation: string,
        hook: string,
        root = recordsFolder(),
        private readonly mark = "",
    ) {
        this.folder = join(root, clusterId);
        this.file = join(this.folder, `${operation}-${hook}.json`);
    }

    /** The process of an earlier run that still runs this hook, if any. */
    running(event: string): Process | undefined {
        const { running, done } = this.read().events[event] ?? {};
        return running !== undefined && !done && !isItself(running) && isAlive(running) ? running : undefined;
    }

    /** Begins an attempt. `interrupted`: the end of the one before was never written. */
    begin(event: string): Attempt {
        const known = this.read();
        const { attempt = 0, running } = known.events[event] ?? {};
        this.write({ ...known, events: { ...known.events, [event]: { attempt: attempt + 1, running: itself() } } });
        return {
            attempt: attempt + 1,
            interrupted: running !== undefined,
            errorHandlingData: known.errorHandlingData,
        };
    }

    /** The attempt failed. `left`: merged into what is known. */
    fail(event: string, left: Record<string, unknown> = {}): void {
        const known = this.read();
        const { attempt = 1 } = known.events[event] ?? {};
        this.write({
            events: { ...known.events, [event]: { attempt } },
            errorHandlingData: { ...known.errorHandlingData, ...left },
        });
    }

    /** The attempt succeeded. The state of the stack does not have it yet: the run may be killed before. */
    succeed(event: string, left: Record<string, unknown> = {}): void {
        this.leave(left);
        const known = this.read();
        const { attempt = 1, running } = known.events[event] ?? {};
        const ended = { attempt, ...(running && { running }), done: true as const };
        this.write({ ...known, events: { ...known.events, [event]: ended } });
    }

    /** Whether an attempt has succeeded. */
    hasSucceeded(event: string): boolean {
        return this.read().events[event]?.done === true;
    }

    /** The operation begins: its success is from a state that was restored since. To the next attempt it counts as interrupted. */
    reopen(): void {
        const known = this.read();
        if (!Object.values(known.events).some(({ done }) => done)) return;
        const events = Object.entries(known.events).map(([event, { done: _, ...rest }]) => [event, rest]);
        this.write({ ...known, events: Object.fromEntries(events) });
    }

    /** Merges what the hook leaves at once. */
    leave(left: Record<string, unknown> = {}): void {
        const known = this.read();
        this.write({ ...known, errorHandlingData: { ...known.errorHandlingData, ...left } });
    }

    private read(): Written {
        try {
            const written = JSON.parse(readFileSync(this.file, "utf8")) as Written;
            if ((written.mark ?? "") === this.mark) return written;
        } catch {
            // None yet, or half written before a power cut: then the attempt counts as the first.
        }
        return { events: {}, errorHandlingData: {} };
    }

    private write(written: Written): void {
        mkdirSync(this.folder, { recursive: true, mode: 0o700 });
        writeFileSync(`${this.file}.new`, JSON.stringify({ ...written, mark: this.mark }), { mode: 0o600 });
        renameSync(`${this.file}.new`, this.file);
    }
}

/** Deletes the records of operations before this one: the stack's state has their end. */
export function forgetRecords(clusterId: string, before: number, root = recordsFolder()): void {
    const folder = join(root, clusterId);
    for (const file of filesIn(folder)) {
        const operation = Number(file.split("-", 1)[0]);
        if (operation < before) forgetFile(join(folder, file));
    }
}

function forgetFile(path: string): void {
    try {
        rmSync(path, { force: true });
    } catch {
        // A folder that can be read only: the marks tell operations apart.
    }
}

const endedFile = "terminated";

/** The termination of the cluster has begun: another run may end it. */
export function noteTermination(clusterId: string, root = recordsFolder()): void {
    const folder = join(root, clusterId);
    try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(join(folder, endedFile), "", { mode: 0o600 });
    } catch {
        // A full disk must not stop a destroy; only one that goes on in another run does without it.
    }
}

export function isTerminating(clusterId: string, root = recordsFolder()): boolean {
    return filesIn(join(root, clusterId)).includes(endedFile);
}

/** Of a cluster that is gone. */
export function forgetCluster(clusterId: string, root = recordsFolder()): void {
    try {
        rmSync(join(root, clusterId), { recursive: true, force: true });
    } catch {
        // Records that stay do no harm. They must not stop the destroy of a cluster, with or without hooks.
    }
}

function filesIn(folder: string): string[] {
    try {
        return readdirSync(folder);
    } catch {
        return [];
    }
}

function isItself({ pid, started }: Process): boolean {
    const own = itself();
    return pid === own.pid && started === own.started;
}

/** A variable that is empty counts as none. */
function recordsFolder(): string {
    const { [recordsVariable]: given, XDG_STATE_HOME } = process.env;
    return given || join(XDG_STATE_HOME || join(home(), ".local", "state"), "pulumi-nfv", "hooks");
}

/** A user without a name and without HOME has none, as in a container: then nothing is recorded. */
function home(): string {
    try {
        return homedir();
    } catch {
        return "/dev/null";
    }
}
