import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { HookSpec } from "../../../../../provider/operation/hooks/hook-spec";
import { recordsVariable } from "../../../../../provider/operation/hooks/record";
import type { HookTools } from "../../../../../provider/operation/hooks/tools";

export const specOf = (change: Partial<HookSpec> = {}): HookSpec => ({
    name: "mgmt",
    kind: "script",
    files: ["hook.sh"],
    hash: "0123456789ab",
    timeoutSeconds: 30,
    retries: 0,
    ...change,
});

/** Tools that record what a hook says. */
export interface Recording extends HookTools {
    reported: string[];
    noted: string[];
    warned: string[];
    told: string[];
    output: [string, string | undefined][];
}

export function toolsIn(folder: string, change: Partial<HookTools> = {}): Recording {
    const [reported, noted, warned, told] = [[], [], [], []] as string[][] as [string[], string[], string[], string[]];
    const output: Recording["output"] = [];
    return {
        folder,
        clusterId: "c0ffee",
        machineOf: name => {
            throw new Error(`the test has no machine ${name}`);
        },
        whyLeftOut: async () => undefined,
        redact: text => text.replaceAll("open-sesame", "***"),
        report: text => reported.push(text),
        note: text => noted.push(text),
        warn: text => warned.push(text),
        tell: text => told.push(text),
        printed: (text, node) => output.push([text, node]),
        signal: new AbortController().signal,
        ...change,
        ...{ reported, noted, warned, told, output },
    };
}

/** A folder for the files of one test. Those whose name ends with .sh become executable. */
export function hookFolder(files: Record<string, string> = {}): string {
    const folder = mkdtempSync(join(tmpdir(), "pulumi-nfv-test-"));
    putInto(folder, files);
    return folder;
}

export function putInto(folder: string, files: Record<string, string>): void {
    for (const [name, text] of Object.entries(files)) {
        const path = join(folder, name);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, text);
        if (name.endsWith(".sh")) chmodSync(path, 0o755);
    }
}

/** Gives each test of the suite a folder of its own, in which records of hooks are kept, too. */
export function ownFolder(): { readonly path: string; put(files: Record<string, string>): void } {
    let path = "";
    const given = process.env[recordsVariable];
    beforeEach(() => {
        path = hookFolder();
        process.env[recordsVariable] = join(path, "records");
    });
    afterEach(() => {
        rmSync(path, { recursive: true, force: true });
        if (given === undefined) delete process.env[recordsVariable];
        else process.env[recordsVariable] = given;
    });
    return {
        get path() {
            return path;
        },
        put: files => putInto(path, files),
    };
}
