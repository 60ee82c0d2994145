import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface ShellRun {
    folder: string;
    /** Runs a text as a step's script runs: `set -eu`, on standard input. */
    run: (text: string) => SpawnSyncReturns<string>;
    /** A program of this name comes first in PATH; `text` is shell. */
    program: (name: string, text: string) => void;
    remove: () => void;
}

/** A real shell with a folder of its own below `place`, in which a script may do what it likes. */
export function shellIn(kind: "sh" | "bash", place = tmpdir()): ShellRun {
    const folder = mkdtempSync(join(place, "nfv-shell-"));
    const bin = join(folder, "bin");
    mkdirSync(bin);
    return {
        folder,
        run: text =>
            spawnSync(kind, ["-s"], {
                input: `set -eu\n${text}\n`,
                encoding: "utf8",
                timeout: 60_000,
                cwd: folder,
                env: { PATH: `${bin}:${process.env["PATH"]}` },
            }),
        program: (name, text) => {
            writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
            chmodSync(join(bin, name), 0o755);
        },
        remove: () => rmSync(folder, { recursive: true, force: true }),
    };
}
