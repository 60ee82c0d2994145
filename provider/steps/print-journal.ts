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

/** `blank`: it has no records of ours. `busy`: a run works there. `foreign`: it is another cluster's or another node. Pure. */
export function parsePrintedJournal(
    text: string,
    clusterId: string,
    node: string,
): Opened | "blank" | "busy" | "foreign" {
    const [owner = "", ...lines] = text.trim().split("\n");
    if (owner === "blank") return "blank";
    if (owner !== "unnamed" && owner !== `of ${clusterId} ${node}`) return "foreign";
    if (lines.includes("busy")) return "busy";
    const opened = parseOpened(text);
    return Object.keys({ ...opened.done, ...opened.running }).length > 0 ? opened : "blank";
}
