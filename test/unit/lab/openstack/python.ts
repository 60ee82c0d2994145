import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { openstackFolder } from "../../../../lab/openstack/sources";

/** Runs Python with the cloud's modules: `program` reads `input` and sets `output`, which is returned. */
export function python(program: string, input: unknown): unknown {
    const lines = ["import json, sys", "input = json.load(sys.stdin)", program, "print(json.dumps(output))"];
    const result = spawnSync("python3", ["-B", "-c", lines.join("\n")], {
        input: JSON.stringify(input),
        env: { ...process.env, PYTHONPATH: join(openstackFolder, "python") },
        encoding: "utf8",
    });
    assert.equal(result.status, 0, result.stderr);
    return JSON.parse(result.stdout);
}
