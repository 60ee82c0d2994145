import { type ChildProcess, spawn } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import type { PipelineEvent } from "../../../pipeline";
import { projectRoot } from "../../support/user-project";
import type { SiteFixture } from "./site-fixture";

export interface Runner {
    child: ChildProcess;
    events: PipelineEvent[];
    /** Resolves when such an event comes; rejects when the process ends before. */
    until(isIt: (event: PipelineEvent) => boolean): Promise<void>;
    done: Promise<{ code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }>;
}

/** `operation`: a function of a site, in a process of its own. */
export function startRunner(
    { project }: SiteFixture,
    operation: string,
    args: unknown[] = [],
    options: object = {},
): Runner {
    const script = join(project.folder, "runner.js");
    copyFileSync(join(projectRoot, "test/integration/pipeline/runner.js"), script);
    const open = { stack: "dev", folder: project.folder };
    return startProcess(
        [script, JSON.stringify({ open, operation, args, options })],
        project.pulumi.env,
        project.folder,
    );
}

/** A Node program whose standard output has an event in each line. */
export function startProcess(argv: string[], env: Record<string, string>, cwd: string): Runner {
    const child = spawn(process.execPath, argv, { env, cwd, stdio: ["ignore", "pipe", "pipe"] });
    const said = { stdout: "", stderr: "" };
    const events: PipelineEvent[] = [];
    const waiting = new Set<() => void>();
    let rest = "";
    child.stderr.on("data", data => (said.stderr += data));
    child.stdout.on("data", data => {
        said.stdout += data;
        const lines = (rest + data).split("\n");
        rest = lines.pop()!;
        for (const line of lines.filter(each => each.startsWith("{"))) events.push(JSON.parse(line));
        for (const look of waiting) look();
    });
    const done = new Promise<Awaited<Runner["done"]>>((resolve, reject) => {
        child.on("error", reject);
        child.on("close", (code, signal) => resolve({ code, signal, ...said }));
    });
    const until: Runner["until"] = isIt =>
        new Promise((resolve, reject) => {
            const look = () => {
                if (!events.some(isIt)) return;
                waiting.delete(look);
                resolve();
            };
            waiting.add(look);
            look();
            done.then(
                ({ stdout, stderr }) => reject(new Error(`it ended before: ${stdout.slice(-2000)}\n${stderr}`)),
                reject,
            );
        });
    return { child, events, until, done };
}
