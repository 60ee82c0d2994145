#!/usr/bin/env node
import { NfvError } from "../provider/errors";
import { main as toolsMain } from "../tools/nfv";

/** Commands of operations; the others need neither Pulumi's SDK nor a stack. */
export const operations = [
    ...["preview", "up", "instantiate", "scale", "heal", "upgrade", "backup", "restore", "terminate"],
    ...["report", "completion"],
];

/** Runs one command; returns the exit code. */
export async function main(argv: string[]): Promise<number> {
    const [name = "help", ...rest] = argv;
    const asked = name === "help" ? rest[0] : name;
    if (asked === undefined || !operations.includes(asked)) return toolsMain(argv);
    try {
        const { runCommand } = await import("./commands.js");
        await runCommand(name === "help" ? [asked, "--help"] : argv);
        return 0;
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        console.error(`error: ${error.message}`);
        return error.exitCode;
    }
}

if (require.main === module) {
    main(process.argv.slice(2)).then(code => {
        process.exitCode = code;
    });
}
