#!/usr/bin/env node
import { setImmediate } from "node:timers/promises";
import { NfvError } from "../provider/common/errors";
import { type CheckReports, main as toolsMain } from "../tools/nfv";
import { operationCommands as operations } from "../tools/operation-commands";
import { cleanOf, hintHere } from "./events/clean-text";
import { surviveClosedOutput } from "./report/standard-output";

/** Runs one command; returns the exit code. */
export async function main(argv: string[]): Promise<number> {
    const outputFailure = surviveClosedOutput();
    const code = await run(argv);
    // Node tells the failure of a write when everything else has run.
    await setImmediate();
    const failure = outputFailure();
    if (failure === undefined) return code;
    console.error(`error: standard output could not be written: ${failure.message}`);
    return code || 1;
}

async function run(argv: string[]): Promise<number> {
    const [name = "help", ...rest] = argv;
    const asked = name === "help" ? rest[0] : name;
    if (asked === undefined || !operations.includes(asked)) return toolsMain(argv, clean, checkReports);
    try {
        const { runCommand } = await import("./commands/commands.js");
        await runCommand(name === "help" ? [asked, "--help"] : argv);
        return 0;
    } catch (error) {
        if (error instanceof NfvError) {
            console.error(`error: ${hintHere(error.message)}`);
            return error.exitCode;
        }
        console.error(`error: ${unexpected(error)}`);
        return 1;
    }
}

/** Of the system, such as a full disk: what it says. Others are faults, and need the place where they happened; what they quote may hold secrets. */
function unexpected(error: unknown): string {
    if (!(error instanceof Error)) return String(error);
    const text = "syscall" in error ? `RUN_FAILED\n    ${error.message}` : (error.stack ?? error.message);
    return clean(text);
}

const checkReports: CheckReports = {
    refuse: async files => (await import("./commands/report-files.js")).refuseUnwritable(files),
    write: async (found, files, folder) =>
        (await import("./commands/report-files.js")).writeCheckReports(found, files, folder),
};

/** Only the environment's secrets are known here. */
const clean = (text: string) => cleanOf(text, process.env);

if (require.main === module) {
    main(process.argv.slice(2)).then(code => {
        process.exitCode = code;
    });
}
