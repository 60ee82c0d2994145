import * as fs from "node:fs";

interface Process {
    pid: number;
    parent: number;
    session: number;
    /** In the kernel's ticks: pids are used again. */
    start: string;
    /** It has ended, and its parent does not know it yet. */
    isZombie: boolean;
}

/** A process and all below it. */
export const treeOf = (pid: number): number[] => [pid, ...below(pid, processes()).map(each => each.pid)];

/**
 * Ends all programs below a process that have its session, in good order, and after the time by force. Programs that were started with a session of their own
 * are meant to outlive it: nodes of a lab. It blocks, so that the process itself starts nothing meanwhile.
 */
export function endPrograms(pid: number, graceSeconds: number): void {
    const told = new Map<string, Process>();
    const began = Date.now();
    for (;;) {
        const all = processes();
        const session = all.find(each => each.pid === pid)?.session;
        const found = below(pid, all).filter(each => each.session === session);
        // A program whose parent has ended meanwhile is not below any more.
        const left = all.filter(each => !each.isZombie && (found.includes(each) || told.has(keyOf(each))));
        const seconds = (Date.now() - began) / 1000;
        if (left.length === 0 || seconds > graceSeconds + forceSeconds) return;
        for (const each of left) {
            if (seconds > graceSeconds) signalProcess(each.pid, "SIGKILL", true);
            else if (!told.has(keyOf(each))) signalProcess(each.pid, "SIGTERM", true);
            told.set(keyOf(each), each);
        }
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
}

/** How long to look whether what was killed is gone. */
const forceSeconds = 2;

const keyOf = ({ pid, start }: Process) => `${pid} ${start}`;

/** A process that has ended meanwhile, perhaps with its parent, counts as told; with `orOthers` so does one of another user. */
export function signalProcess(pid: number, signal: NodeJS.Signals, orOthers = false): void {
    try {
        process.kill(pid, signal);
    } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code !== "ESRCH" && !(orOthers && code === "EPERM")) throw error;
    }
}

function below(pid: number, all: readonly Process[]): Process[] {
    const children = all.filter(({ parent }) => parent === pid);
    return children.flatMap(child => [child, ...below(child.pid, all)]);
}

function processes(): Process[] {
    const pids = fs.readdirSync("/proc").filter(entry => /^\d+$/.test(entry));
    return pids.flatMap(name => {
        try {
            const stat = fs.readFileSync(`/proc/${name}/stat`, "utf8");
            // The command in field 2 may contain blanks and brackets.
            const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
            const [state, parent, , session] = fields;
            const isZombie = state === "Z" || state === "X";
            return [
                {
                    ...{ pid: Number(name), parent: Number(parent), session: Number(session) },
                    ...{ start: fields[19]!, isZombie },
                },
            ];
        } catch {
            // The process has ended meanwhile.
            return [];
        }
    });
}
