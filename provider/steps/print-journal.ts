import { NfvError } from "../common/errors";
import { stateFolder } from "../shell/folders";
import { script } from "../shell/script-file";
import { runFolder } from "./left-running";
import { type Opened, parseOpened } from "./protocol";
import type { Query } from "./query";

/** The command that prints a machine's journal; fake nodes in tests recognise it. */
export const printedJournalArgv: readonly string[] = ["sh", "-s", "pulumi-nfv-printed-journal"];

/** Reads a machine's journal without a lease, for who only looks. The folders are others in tests. */
export const journalQuery = (node: string, run = runFolder, state = stateFolder): Query => ({
    step: "look at the machine's journal",
    node,
    script: script("steps/print-journal.sh", { RUN_FOLDER: run, STATE_FOLDER: state }),
    argv: printedJournalArgv,
    timeoutSeconds: 30,
});

/** What a machine's journal shows. `blank`: it has no records of ours. `busy`: a run works there. `foreign`: it is another cluster's or another node. */
export type PrintedJournal = Opened | "blank" | "busy" | "foreign";

/** Anything but an answer is an error: a machine that says something else must not be taken for another one. Pure. */
export function parsePrintedJournal(text: string, clusterId: string, node: string): PrintedJournal | NfvError {
    const [said = "", ...lines] = text.trim().split("\n");
    const whose = whoseIs(said, clusterId, node);
    if (whose === "unclear") return unclear(node, text);
    if (whose !== "ours") return whose;
    if (lines.includes("busy")) return "busy";
    const opened = parseOpened(text);
    return Object.keys({ ...opened.done, ...opened.running }).length > 0 ? opened : "blank";
}

/** Whose machine it is by "of CLUSTER NODE", "unnamed" or "blank". Pure. */
export function whoseIs(said: string, clusterId: string, node: string): "ours" | "blank" | "foreign" | "unclear" {
    if (said === "blank") return "blank";
    if (said === "unnamed" || said === `of ${clusterId} ${node}`) return "ours";
    return said.startsWith("of ") ? "foreign" : "unclear";
}

export function unclear(node: string, said: string): NfvError {
    return new NfvError({ code: "STEP_FAILED", node, step: "look at the machine", cause: said.trim() || "no answer" });
}
