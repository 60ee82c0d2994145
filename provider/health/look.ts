import { kubeletConfig, kubernetesFolder, pkiFolder, upgradeFolder } from "../kubeadm/paths";
import { script } from "../shell/script-file";
import type { Connection } from "../ssh/types";
import { type Noted, type NotesName, notesPath, parseNotes } from "../steps/observation-notes";
import { type Query, query } from "../steps/query";
import { type HealthFacts, parseHealth } from "./facts";

/** The command that prints how a machine is; fake nodes in tests recognise it. */
export const healthArgv: readonly string[] = ["sh", "-s", "pulumi-nfv-health"];

/** How long the notes of a resource may take, in seconds: a step has ten, and a machine under load may need them. */
const notesSeconds = 60;

export const healthScript = script("health/health.sh", {
    KUBELET_CONFIG: kubeletConfig,
    KUBERNETES_FOLDER: kubernetesFolder,
    PKI_FOLDER: pkiFolder,
    UPGRADE_FOLDER: upgradeFolder,
    NOTES_SECONDS: notesSeconds,
});

/** The script itself ends within 25 seconds, but for the notes; a machine under load may be slower. */
const timeoutSeconds = 40;

/** What one look at a machine has shown. */
export interface MachineLook {
    facts: HealthFacts;
    /** By the id of the step; empty if nothing was noted on the machine. */
    noted: Record<string, Noted>;
}

/** Looks how a machine is and at what the steps of `notes` left. */
export const healthQuery = (notes: readonly NotesName[] = []): Query => ({
    step: "look how the machine is",
    script: healthScript,
    argv: healthArgv,
    env: { NOTES: notes.map(notesPath).join(" ") },
    timeoutSeconds: timeoutSeconds + notes.length * notesSeconds,
});

/** What the machine has said. */
export function parseLook(said: string): MachineLook {
    // the facts end where the notes begin
    const [facts = ""] = said.split("\x1e");
    return { facts: parseHealth(facts), noted: parseNotes(said) };
}

/** Looks how a machine is and, with `notes`, at what those steps left, in one round trip. @throws STEP_FAILED, CONNECT_FAILED and similar codes */
export async function lookAtMachine(connection: Connection, notes?: NotesName): Promise<MachineLook> {
    return parseLook(await query(connection, healthQuery(notes === undefined ? [] : [notes])));
}

/** The same without the steps. */
export async function lookAtHealth(connection: Connection): Promise<HealthFacts> {
    return (await lookAtMachine(connection)).facts;
}
