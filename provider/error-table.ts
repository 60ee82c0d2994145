import { errorCodes } from "./errors";

/** The codes as a Markdown table: docs/errors.md is this text. */
export function errorTable(): string {
    const rows = Object.entries(errorCodes).map(
        ([code, { exitCode, hint }]) => `| \`${code}\` | ${exitCode} | ${hint} |`,
    );
    return [
        "# Errors",
        "",
        "Every error of the package says on which node, in which step, with which code it happened, what was seen and what to do.",
        "The end of the output stands in the message, the whole of it in reports. The pipeline commands end with the exit code.",
        "",
        "| code | exit code | what to do |",
        "|---|---|---|",
        ...rows,
        "",
    ].join("\n");
}

if (require.main === module) process.stdout.write(errorTable());
