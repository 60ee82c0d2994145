import * as fs from "node:fs";

/**
 * Kills a process and all that it started with SIGKILL, like a power cut of the operator's machine. All are stopped first: otherwise one
 * could start another process meanwhile, which would survive.
 */
export function killTree(pid: number): number[] {
    let tree: number[] = [];
    for (let size = -1; size !== tree.length; ) {
        size = tree.length;
        tree = treeOf(pid);
        for (const id of tree) killProcess(id, "SIGSTOP");
    }
    for (const id of tree) killProcess(id);
    return tree;
}

/** A process and all below it. */
export function treeOf(pid: number): number[] {
    const children = new Map<number, number[]>();
    for (const name of fs.readdirSync("/proc").filter(entry => /^\d+$/.test(entry))) {
        try {
            const stat = fs.readFileSync(`/proc/${name}/stat`, "utf8");
            const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
            children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
        } catch {
            // The process has ended meanwhile.
        }
    }
    const below = (id: number): number[] => [id, ...(children.get(id) ?? []).flatMap(below)];
    return below(pid);
}

/** A process that has ended meanwhile, perhaps with its parent, counts as killed. */
export function killProcess(pid: number, signal: NodeJS.Signals = "SIGKILL"): void {
    try {
        process.kill(pid, signal);
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
}
