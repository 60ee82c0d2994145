import { strict as assert } from "node:assert";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { projectRoot } from "../../dev/levels";

export interface FirstPlan {
    /** The project's folder. */
    folder: string;
    stack: string;
    env: Readonly<Record<string, string>>;
    /** Puts a command into the network that reaches the cloud. */
    enter?: (argv: string[]) => string[];
}

/** Two first previews have one hash, so that a person can approve the first. */
export function firstPlanCanBeApproved(plan: FirstPlan): void {
    assert.equal(planHash(plan), planHash(plan), "the plan of a second preview has another hash");
}

/** `nfv instantiate --preview` prints it. */
function planHash({ folder, stack, env, enter = argv => argv }: FirstPlan): string {
    const nfv = [process.execPath, join(projectRoot, "dist/pipeline/nfv.js"), "instantiate", "--preview"];
    const [program, ...rest] = enter([...nfv, "--stack", stack]);
    const ended = spawnSync(program!, rest, { cwd: folder, env: { ...process.env, ...env }, encoding: "utf8" });
    const said = `${ended.stdout}${ended.stderr}`;
    const [, hash] = /^plan ([0-9a-f]{8,})$/m.exec(said) ?? [];
    assert.ok(hash, said);
    return hash;
}
