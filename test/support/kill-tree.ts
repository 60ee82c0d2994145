import { signalProcess, treeOf } from "../../dev/process-tree";

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

/** A process that has ended meanwhile, perhaps with its parent, counts as killed. */
export const killProcess = (pid: number, signal: NodeJS.Signals = "SIGKILL"): void => signalProcess(pid, signal);
