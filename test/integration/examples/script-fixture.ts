import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../support/user-project";
import { type SiteFixture, siteFixture } from "../pipeline/site-fixture";

export interface Ended {
    code: number | null;
    output: string;
}

export interface ScriptFixture extends SiteFixture {
    /** Starts examples/pipelines/nfv-pipeline.sh in the project's folder, as the leader of a process group. */
    start(words: string[], env?: Record<string, string>): { child: ChildProcess; done: Promise<Ended> };
    script(words: string[], env?: Record<string, string>): Promise<Ended>;
    /** Text of a report; "" if there is none. */
    report(name: string): string;
    git(...argv: string[]): string;
}

/** A project on simulated machines that is a clone of a bare repository, with the commands of this checkout. */
export async function scriptFixture(...of: Parameters<typeof siteFixture>): Promise<ScriptFixture> {
    const fixture = await siteFixture(...of);
    const { folder, pulumi } = fixture.project;
    const bin = join(folder, "node_modules/.bin");
    mkdirSync(bin, { recursive: true });
    const nfv = `#!/bin/sh\nexec '${process.execPath}' '${join(projectRoot, "dist/pipeline/nfv.js")}' "$@"\n`;
    writeFileSync(join(bin, "nfv"), nfv, { mode: 0o755 });
    const script = join(projectRoot, "examples/pipelines/nfv-pipeline.sh");
    const git = (...argv: string[]) => execFileSync("git", argv, { cwd: folder, encoding: "utf8", stdio: "pipe" });
    git("init", "--quiet", "--initial-branch=main", ".");
    git("init", "--quiet", "--bare", "--initial-branch=main", "origin.git");
    git("remote", "add", "origin", join(folder, "origin.git"));
    git("add", "Pulumi.yaml", "index.js");
    git("-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "--quiet", "-m", "Site");
    git("push", "--quiet", "origin", "main");
    const reports = join(folder, "nfv-reports");
    const start: ScriptFixture["start"] = (words, env = {}) => {
        const child = spawn("sh", [script, ...words], {
            ...{ cwd: folder, detached: true, stdio: ["ignore", "pipe", "pipe"] },
            env: { ...pulumi.env, NFV_STACK: "dev", NFV_REPORTS: reports, NFV_RUN: "job-1", ...env },
        });
        let output = "";
        for (const stream of [child.stdout!, child.stderr!]) stream.on("data", data => (output += data));
        const done = new Promise<Ended>((resolve, reject) => {
            child.on("error", reject);
            child.on("close", code => resolve({ code, output }));
        });
        return { child, done };
    };
    return {
        ...fixture,
        start,
        script: (words, env) => start(words, env).done,
        report: name => (existsSync(join(reports, name)) ? readFileSync(join(reports, name), "utf8") : ""),
        git,
    };
}

/** Waits until `isThere`; the tests' own time limit ends it. */
export async function until(isThere: () => boolean): Promise<void> {
    while (!isThere()) await new Promise(resolve => setTimeout(resolve, 50));
}
