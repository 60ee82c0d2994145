import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import type { Act } from "../../steps/types";

/** How far a request is on a machine: `begun`, a stage of the request's own, or `done`; and the boot in which that was. */
export interface RequestNote {
    id: string;
    stage: string;
    boot: string;
}

/** From the machine's file: "ID STAGE BOOT". */
export function parseNote(line = ""): RequestNote | undefined {
    const [id, stage, boot = ""] = line.split(" ").filter(Boolean);
    return id === undefined || stage === undefined ? undefined : { id, stage, boot };
}

export const stageOf = ({ note }: { note?: RequestNote }, id: string) => (note?.id === id ? note.stage : undefined);

/** A run was stopped in the middle of this node's turn. */
export const isBegun = (stage: string | undefined) => stage !== undefined && stage !== "done";

export const noteStage = (name: string, id: string, stage: "begun" | "done"): Act => ({
    id: `request.note-${stage}`,
    title: `note that its turn ${stage === "begun" ? "begins" : "has ended"}`,
    target: "self",
    run: kubeadmScript("procedures/node-by-node/note-stage.sh"),
    env: { NAME: name, WORD: id, STAGE: stage },
    timeoutSeconds: 60,
});
