import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import * as path from "node:path";
import type { Fixture } from "./cluster-fixture";

/** A day passes: what the state has as the begin of a rotation's grace lies 25 hours back. */
export async function dayPasses({ project, folder }: Fixture, rotation: string, begin: string): Promise<void> {
    const file = path.join(folder, "state.json");
    await project.run(["stack", "export", "--file", file]);
    const state = JSON.parse(fs.readFileSync(file, "utf8"));
    const { outputs } = state.deployment.resources.find((each: { type: string }) => each.type.endsWith(`:${rotation}`));
    const since = Date.parse(outputs[begin]);
    assert.ok(since <= Date.now());
    outputs[begin] = new Date(since - 25 * 3_600_000).toISOString();
    fs.writeFileSync(file, JSON.stringify(state));
    await project.run(["stack", "import", "--file", file]);
}
