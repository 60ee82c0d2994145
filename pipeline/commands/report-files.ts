import {
    accessSync,
    closeSync,
    constants,
    existsSync,
    lstatSync,
    openSync,
    readlinkSync,
    realpathSync,
    rmSync,
    statSync,
    writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { NfvError } from "../../provider/common/errors";
import { whyUnwritable } from "../../provider/common/given-file";
import type { Found } from "../../tools/check/verdict";
import type { PipelineEvent } from "../events/events";
import { htmlReport } from "../page/html";
import { checkJunit, junitReport } from "../report/junit";
import { markdownReport } from "../report/markdown";
import { projectFileInRepository } from "../report/repository-path";
import { checkSarif, sarifReport } from "../report/sarif";

/** Files of reports, by the option that names them. */
export interface ReportFiles {
    markdown?: string;
    junit?: string;
    html?: string;
    sarif?: string;
}

type Kind = keyof ReportFiles;
const kinds: readonly Kind[] = ["markdown", "junit", "html", "sarif"];

/** A run may take an hour: a report that has no place is refused before it. `source`: a file that a report must not replace. @throws INVALID_INPUT */
export function refuseUnwritable(files: ReportFiles, source?: string): void {
    const ofSource = source !== undefined && existsSync(source) ? identityOf(source) : undefined;
    const seen = new Set([ofSource]);
    for (const kind of kinds) {
        const file = files[kind];
        if (file === undefined) continue;
        try {
            tryFile(file);
            const identity = identityOf(file);
            if (identity === undefined) continue;
            if (seen.has(identity))
                throw new Error(identity === ofSource ? "the report is made of it" : "another report goes there");
            seen.add(identity);
        } catch (error) {
            throw new NfvError({
                code: "INVALID_INPUT",
                cause: `--${kind} ${file}: the report cannot be written: ${whyUnwritable(error)}`,
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
    const place = placeOf(file);
    closeSync(openSync(place, "wx"));
    rmSync(place);
}

/** The same for two paths of one file, also by links. Undefined for what is none, such as a device. */
function identityOf(file: string): string | undefined {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return placeOf(file);
    return found.isFile() ? `${found.dev} ${found.ino}` : undefined;
}

/** Where a file would be made. */
function placeOf(file: string): string {
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
        return placeOf(resolve(dirname(file), readlinkSync(file)));
    return join(realpathSync(dirname(resolve(file))), basename(file));
}

/** `folder`: the project's. @throws RUN_FAILED */
export function writeReports(events: readonly PipelineEvent[], files: ReportFiles, folder = "."): void {
    const hint =
        "What the run did stays as it is: only the report is missing. From the lines of --json, nfv report makes it later.";
    write(files, hint, {
        markdown: () => markdownReport(events),
        junit: () => junitReport(events),
        html: () => htmlReport(events),
        sarif: () => sarifReport(events, projectFileInRepository(folder)),
    });
}

/** What `nfv check` has found. `folder`: the project's. @throws RUN_FAILED */
export function writeCheckReports(found: readonly Found[], { junit, sarif }: ReportFiles, folder = "."): void {
    const files = { ...(junit && { junit }), ...(sarif && { sarif }) };
    const hint = "The exit code is that of the verdict, as without reports.";
    write(files, hint, {
        junit: () => checkJunit(found),
        sarif: () => checkSarif(found, projectFileInRepository(folder)),
    });
}

/** One that cannot be written keeps none of the others from being written. */
function write(files: ReportFiles, hint: string, texts: Partial<Record<Kind, () => string>>): void {
    const failures: string[] = [];
    for (const kind of kinds) {
        const file = files[kind];
        if (file === undefined) continue;
        try {
            writeFileSync(file, texts[kind]!());
        } catch (error) {
            failures.push(`the report ${file} cannot be written: ${whyUnwritable(error)}`);
        }
    }
    if (failures.length === 0) return;
    throw new NfvError({ code: "RUN_FAILED", cause: failures.join("\n"), hint });
}
