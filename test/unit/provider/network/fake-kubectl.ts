import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { usualPath } from "../../../../provider/shell/script";
import { encodeScript } from "../../../../provider/steps/protocol";

/** kubectl's answers: the first row whose pattern matches the command line. `until`: the row ends with the first such call. */
export type Answers = { when: RegExp; until?: RegExp; stdout?: string; stderr?: string; code?: number }[];

export interface Ran {
    code: number;
    stdout: string;
    stderr: string;
    /** Command lines of kubectl, in order. */
    calls: string[];
}

/** Runs a script for control-plane nodes with a kubectl that only gives these answers. */
export function runWithKubectl(script: string, env: Record<string, string>, answers: Answers): Ran {
    const folder = mkdtempSync(join(tmpdir(), "nfv-kubectl-"));
    try {
        const rows = answers.map(({ when, until, ...answer }) => [when.source, answer, until?.source]);
        writeFileSync(join(folder, "answers.json"), JSON.stringify(rows));
        writeFileSync(join(folder, "calls"), "");
        writeFileSync(join(folder, "kubectl"), `#!${process.execPath}\n${program(folder)}`, { mode: 0o755 });
        const { status, stdout, stderr } = spawnSync("sh", ["-s"], {
            input: encodeScript({ run: script.replace(usualPath, ""), env }),
            encoding: "utf8",
            env: { PATH: `${folder}:${process.env.PATH}` },
        });
        return {
            code: status ?? -1,
            stdout,
            stderr,
            calls: readFileSync(join(folder, "calls"), "utf8").split("\n").filter(Boolean),
        };
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}

const program = (folder: string) => `
const fs = require("node:fs");
const line = process.argv.slice(2).join(" ");
fs.appendFileSync(${JSON.stringify(join(folder, "calls"))}, line.replace(/\\n/g, " ") + "\\n");
const rows = JSON.parse(fs.readFileSync(${JSON.stringify(join(folder, "answers.json"))}, "utf8"));
const before = fs.readFileSync(${JSON.stringify(join(folder, "calls"))}, "utf8").split("\\n").slice(0, -2);
const open = ([, , until]) => !until || !before.some(call => new RegExp(until).test(call));
const { stdout = "", stderr = "", code = 0 } = (rows.filter(open).find(([when]) => new RegExp(when).test(line)) ?? [0, {}])[1];
fs.writeSync(1, stdout);
fs.writeSync(2, stderr);
process.exitCode = code;
`;
