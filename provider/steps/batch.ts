import { posix } from "node:path";
import { quoteWord } from "../shell/quote";
import { checkInputs, scriptEnd, secretLines, variableLines } from "./protocol";
import type { StepFile } from "./types";

/**
 * Steps that are sent to a node together: one call, one detached process. Each still has its own shell, deadline and
 * journal entry. Only this file writes and reads the format; fake nodes use `decodeBatch`.
 */
export interface BatchStep {
    id: string;
    fingerprint: string;
    timeoutSeconds: number;
    /** Made by `encodeStep`. */
    script: string;
}

export interface StepParts {
    probe?: string;
    refuse?: string;
    files?: readonly StepFile[];
    run?: string;
    env?: Record<string, string>;
    /** Each becomes the root-only file $SECRETS/NAME. */
    secrets?: Record<string, string>;
    /** The standard output of `run` is the step's answer, which may be secret, and not part of its output. */
    answers?: boolean;
}

/**
 * The script of one step: probe (exit 0: the rest is skipped), refuse, secrets, files, run. Values are quoted and never
 * arguments of a process.
 */
export function encodeStep({ probe, refuse, files = [], run, env, secrets, answers }: StepParts): string {
    checkInputs([probe, refuse, run].join("\n"), env ?? {});
    return [
        "set -eu",
        "umask 022",
        ...variableLines(env ?? {}, Object.keys(secrets ?? {})),
        ...(probe === undefined ? [] : probeLines(probe)),
        ...(refuse === undefined ? [] : [refuse]),
        ...secretLines(secrets ?? {}),
        ...fileLines(files),
        ...(run === undefined ? [] : answers ? answerLines(run) : [run]),
        "",
    ].join("\n");
}

/** In a subshell that is not a condition, because `set -e` has no effect in conditions. */
function probeLines(probe: string): string[] {
    const lines = ["set +e", "(", "set -eu", probe.trimEnd(), ") </dev/null >/dev/null 2>&1", "nfv_probe=$?", "set -e"];
    return [...lines, '[ "$nfv_probe" != 0 ] || exit 0'];
}

function answerLines(run: string): string[] {
    const prepare = ["umask 077", 'mkdir -p "$SECRETS"', ': >"$SECRETS/answer"', "umask 022"];
    return [...prepare, "(", run.trimEnd(), ') >"$SECRETS/answer"', answerMarkLine, 'cat "$SECRETS/answer"'];
}

/**
 * Like `writeFile` of a connection: a temporary file with mode and owner beside the old one, fsync, rename. It starts
 * as few processes as possible: the umask sets the mode if it can, and one sync serves all files.
 */
function fileLines(files: readonly StepFile[]): string[] {
    if (files.length === 0) return [];
    const all = files.map(({ path, content, mode = 0o644, owner = "root:root" }) => {
        if (content.includes("\0")) throw new Error(`a NUL character cannot be written to ${path}`);
        const folder = posix.dirname(path);
        const temporary = quoteWord(posix.join(folder, `.nfv-${posix.basename(path).slice(0, 200)}.new`));
        const modeText = mode.toString(8).padStart(4, "0");
        return { path: quoteWord(path), content, mode, modeText, owner, folder: quoteWord(folder), temporary };
    });
    const folders = [...new Set(all.map(({ folder }) => folder))];
    return [
        ...folders.map(folder => `[ -d ${folder} ] || mkdir -p -- ${folder}`),
        ...all.flatMap(({ content, mode, modeText, owner, folder, temporary }) => [
            `if [ -e ${temporary} ] || [ -L ${temporary} ]; then rm -f -- ${temporary}; fi`,
            `umask ${(0o777 & ~mode).toString(8).padStart(4, "0")}`,
            `printf %s ${quoteWord(content)} >${temporary}`,
            owner === "root:root"
                ? `[ ! -g ${folder} ] || chown -- root:root ${temporary}`
                : `chown -- ${quoteWord(owner)} ${temporary}`,
            ...((mode & ~0o666) === 0 ? [] : [`chmod -- ${modeText} ${temporary}`]),
        ]),
        "umask 022",
        `sync -- ${all.map(({ temporary }) => temporary).join(" ")}`,
        ...all.map(
            ({ path, temporary, modeText, owner }) =>
                `mv -fT -- ${temporary} ${path} # ${modeText} ${quoteWord(owner)}`,
        ),
        `sync -- ${folders.join(" ")}`,
    ];
}

/** The standard input for the agent's `run`. */
export function encodeBatch(steps: readonly BatchStep[]): string {
    const calls = steps.map(({ id, fingerprint, timeoutSeconds, script }) =>
        ["nfv_step", id, fingerprint, timeoutSeconds, quoteWord(script)].join(" "),
    );
    return [...calls, scriptEnd, ""].join("\n");
}

const quoted = String.raw`'([^']*(?:'\\''[^']*)*)'`;
const callPattern = new RegExp(String.raw`^nfv_step (\S+) (\S+) (\d+) ${quoted}$`, "gm");
const contentPattern = new RegExp(`^printf %s ${quoted} >${quoted}$`, "gm");
const renamePattern = new RegExp(`^mv -fT -- ${quoted} ${quoted} # (\\d+) ${quoted}$`, "gm");

const plain = (text: string) => text.replaceAll("'\\''", "'");

/** Reverses `encodeBatch`; undefined if the end is missing. */
export function decodeBatch(text: string): BatchStep[] | undefined {
    if (!text.trimEnd().endsWith(`\n${scriptEnd}`)) return undefined;
    return [...text.matchAll(callPattern)].map(([, id, fingerprint, seconds, script]) => ({
        id,
        fingerprint,
        timeoutSeconds: Number(seconds),
        script: plain(script),
    }));
}

/** The files that a step's script writes. */
export function filesOf(script: string): Required<Omit<StepFile, "secret" | "sealed">>[] {
    const contents = new Map([...script.matchAll(contentPattern)].map(([, content, name]) => [name, plain(content)]));
    return [...script.matchAll(renamePattern)].map(([, temporary, path, mode, owner]) => ({
        path: plain(path),
        content: contents.get(temporary) ?? "",
        mode: Number.parseInt(mode, 8),
        owner: plain(owner),
    }));
}

/** Starts a line in a batch's output that is not a step's own: programs do not print this character by chance. */
const mark = "\x1e";

export const formatBegin = (id: string) => `${mark}begin ${id}\n`;

export const formatStepEnd = (id: string, fingerprint: string, code: number, seconds: number) =>
    `${mark}end ${id} ${fingerprint} ${code} ${seconds}\n`;

/** After this line, the step's answer follows. */
export const formatAnswer = () => `${mark}answer -\n`;

const answerMarkLine = String.raw`printf '\036answer -\n'`;

/** Whether a step's script gives an answer. */
export const givesAnswer = (script: string) => script.includes(answerMarkLine);

/** A step that has ended. */
export interface EndedStep {
    id: string;
    fingerprint: string;
    code: number;
    /** How long it ran on the node. */
    seconds: number;
}

export interface BatchListener {
    begin(id: string): void;
    output(id: string, text: string): void;
    answer?(id: string, text: string): void;
    end(step: EndedStep): void;
}

const markLine = new RegExp(`${mark}(begin|end|answer) ([^\n]*)\n`);

/** Longer than any step id with its fingerprint. */
const longestMark = 4096;

/** Assigns a batch's output, which arrives in pieces, to its steps. */
export class BatchReader {
    private rest = "";
    private current?: string;
    private isAnswer = false;

    constructor(private readonly listener: BatchListener) {}

    add(text: string): void {
        this.rest += text;
        for (let found = markLine.exec(this.rest); found; found = markLine.exec(this.rest)) {
            this.output(this.rest.slice(0, found.index));
            this.rest = this.rest.slice(found.index + found[0].length);
            const [id, fingerprint, code, seconds] = found[2].split(" ");
            this.isAnswer = found[1] === "answer";
            if (this.isAnswer) continue;
            if (found[1] === "begin") {
                this.current = id;
                this.listener.begin(id);
            } else {
                this.listener.end({ id, fingerprint, code: Number(code), seconds: Number(seconds) });
                this.current = undefined;
            }
        }
        // If no short line follows the character, it was not a mark, so do not wait for the rest.
        const last = this.rest.lastIndexOf(mark);
        const open = this.rest.length - last > longestMark ? -1 : last;
        this.output(open < 0 ? this.rest : this.rest.slice(0, open));
        this.rest = open < 0 ? "" : this.rest.slice(open);
    }

    private output(text: string): void {
        if (text === "" || this.current === undefined) return;
        if (this.isAnswer) this.listener.answer?.(this.current, text);
        else this.listener.output(this.current, text);
    }
}
