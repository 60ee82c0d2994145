import * as fs from "node:fs";

/** Kills a process and all that it started with SIGKILL, as a power cut of the operator's machine would. */
export function killTree(pid: number): number[] {
    const children = new Map<number, number[]>();
    for (const name of fs.readdirSync("/proc").filter(entry => /^\d+$/.test(entry))) {
        try {
            const stat = fs.readFileSync(`/proc/${name}/stat`, "utf8");
            const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
            children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
        } catch {
            // Ended meanwhile.
        }
    }
    const tree: number[] = [];
    const walk = (id: number) => {
        tree.push(id);
        for (const child of children.get(id) ?? []) walk(child);
    };
    walk(pid);
    for (const id of tree) {
        killProcess(id);
    }
    return tree;
}

/** One that has ended meanwhile, with its parent perhaps, is as good as killed. */
export function killProcess(pid: number): void {
    try {
        process.kill(pid, "SIGKILL");
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
}
