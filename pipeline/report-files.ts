import { accessSync, closeSync, constants, openSync, rmSync, statSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { NfvError } from "../provider/errors";
import type { Found } from "../tools/check/verdict";
import type { PipelineEvent } from "./events";
import { htmlReport } from "./html";
import { checkJunit, junitReport } from "./junit";
import { markdownReport } from "./markdown";
import { checkSarif, sarifReport } from "./sarif";

/** Files of reports, by the option that names them. */
export interface ReportFiles {
    markdown?: string;
    junit?: string;
    html?: string;
    sarif?: string;
}

const reports = { markdown: markdownReport, junit: junitReport, html: htmlReport, sarif: sarifReport };
const kinds = Object.keys(reports) as (keyof typeof reports)[];
const ofCheck = { junit: checkJunit, sarif: checkSarif };

/** A run may take an hour: a report that has no place is refused before it. @throws INVALID_INPUT */
export function refuseUnwritable(files: ReportFiles): void {
    const seen = new Set<string>();
    for (const kind of kinds) {
        const file = files[kind];
        if (file === undefined) continue;
        try {
            tryFile(file);
            const path = resolve(file);
            if (seen.has(path) && !path.startsWith("/dev/")) throw new Error("another report goes there");
            seen.add(path);
        } catch (error) {
            throw new NfvError({
                code: "INVALID_INPUT",
                cause: `--${kind} ${file}: the report cannot be written: ${(error as Error).message}`,
                hint: "Give a file in a folder that exists and is writable. Nothing was changed.",
            });
        }
    }
}

/** Leaves what is there as it is. */
function tryFile(file: string): void {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isDirectory()) throw new Error("it is a folder");
    if (found !== undefined) {
        accessSync(file, constants.W_OK);
        return;
    }
    closeSync(openSync(file, "wx"));
    rmSync(file);
}

/** @throws RUN_FAILED */
export function writeReports(events: readonly PipelineEvent[], files: ReportFiles): void {
    const hint =
        "What the run did stays as it is: only the report is missing. From the lines of --json, nfv report makes it later.";
    write(files, hint, kind => reports[kind](events));
}

/** What `nfv check` has found. @throws RUN_FAILED */
export function writeCheckReports(found: readonly Found[], { junit, sarif }: ReportFiles): void {
    const files = { ...(junit && { junit }), ...(sarif && { sarif }) };
    const hint = "The exit code is that of the verdict, as without reports.";
    write(files, hint, kind => ofCheck[kind as keyof typeof ofCheck](found));
}

/** One that cannot be written keeps none of the others from being written. */
function write(files: ReportFiles, hint: string, textOf: (kind: keyof ReportFiles) => string): void {
    const failures: string[] = [];
    for (const kind of kinds) {
        const file = files[kind];
        if (file === undefined) continue;
        try {
            writeFileSync(file, textOf(kind));
        } catch (error) {
            failures.push(`the report ${file} cannot be written: ${(error as Error).message}`);
        }
    }
    if (failures.length === 0) return;
    throw new NfvError({
        code: "RUN_FAILED",
        cause: failures.join("\n"),
        hint,
    });
}
