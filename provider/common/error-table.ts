import { errorCodes } from "./errors";

/** The codes as a Markdown table: docs/errors.md is this text. */
export function errorTable(): string {
    const rows = Object.entries(errorCodes).map(
        ([code, { exitCode, hint }]) => `| \`${code}\` | ${exitCode} | ${withLinks(hint)} |`,
    );
    return [
        "# Errors",
        "",
        "Every error of the package says on which node, in which step, with which code it happened, what was seen and what to do.",
        "The message holds the end of a step's output. The node keeps more of it in `/var/lib/pulumi-nfv/log` (the last 16 MiB of each batch of steps).",
        "",
        "Only `npx nfv` ends with the exit code of the table. `pulumi` ends with codes of its own: find the error by its code in the message. `npx nfv check` says 20 to 22 besides: [check.md](check.md).",
        "",
        "| code | exit code | what to do |",
        "|---|---|---|",
        ...rows,
        "",
    ].join("\n");
}

/** A hint names a page by its path from the package's folder; this page lies beside the others. */
function withLinks(hint: string): string {
    return hint.replace(/docs\/([a-z-]+\.md)(#[a-z-]+)?/g, (path, page, anchor = "") => `[${path}](${page}${anchor})`);
}

if (require.main === module) process.stdout.write(errorTable());
