import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import { errorsFor } from "../../shell/exit-codes";
import type { StepFactory } from "../../steps/types";
import type { RotatedKey, RotationState } from "../rotation-state";

/** The rotation of the key that encrypts Secrets in etcd: what is done in which order. */
export const encryptionKey: RotatedKey = {
    step: "rotate the encryption key",
    input: "rotate.encryptionKey",
    notOurs: {
        cause: "its API server does not use the encryption settings that pulumi-nfv writes",
        hint: "Settings of your own are yours to rotate: take rotate.encryptionKey out of the program.",
    },
};

/** How it is asked. Fake nodes in tests recognise it. */
export const rotationStateArgv: readonly string[] = ["sh", "-s", "pulumi-nfv-rotation"];
export const rotationStateScript = kubeadmScript("procedures/encryption-key/print-rotation-state.sh");

/** All control-plane nodes have the new key alone. */
export function isRotated(states: readonly RotationState[], keyName: string): boolean {
    return states.every(({ keys }) => keys.length === 1 && keys[0] === keyName);
}

export type Stage = "read" | "write" | "alone";

/** Each is done on one control-plane node after another, and on all before the next one begins. */
export const stagesBeforeRewriting: readonly Stage[] = ["read", "write"];
export const stagesAfterRewriting: readonly Stage[] = ["alone"];

export interface StageSpec {
    /** Where its API server listens. */
    address: string;
    keyName: string;
    /** Secret. */
    key: string;
}

const stageSteps: Record<Stage, { id: string; title: string }> = {
    read: { id: "node.encryption-key-read", title: "make the new encryption key known" },
    write: { id: "node.encryption-key-write", title: "encrypt with the new key" },
    alone: { id: "node.encryption-key-alone", title: "remove the former encryption key" },
};

const stageStep =
    (stage: Stage): StepFactory<StageSpec> =>
    ({ address, keyName, key }) => ({
        ...stageSteps[stage],
        revision: 1,
        env: { ADDRESS: address, KEY_NAME: keyName, STAGE: stage },
        secrets: { key },
        run: kubeadmScript("procedures/encryption-key/rotate-encryption-key.sh"),
        observe: { unseen: "a part of a rotation, which is over when the run is" },
        timeoutSeconds: 900,
        errors: errorsFor("ROTATION_FAILED"),
    });

const stages = [...stagesBeforeRewriting, ...stagesAfterRewriting];
export const encryptionRotationSteps: StepFactory<StageSpec>[] = stages.map(stageStep);

export function stepsOf(stage: Stage): StepFactory<StageSpec>[] {
    return [stageStep(stage)];
}
