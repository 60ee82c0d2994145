import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import { errorsFor } from "../../shell/exit-codes";
import type { StepFactory } from "../../steps/types";
import type { RotatedKey, RotationState } from "../rotation-state";
import type { Stage } from "../stages";
import { rewriteSecrets } from "./rewrite-secrets";

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

type Part = "read" | "write" | "alone";

export interface StageSpec {
    /** Where its API server listens. */
    address: string;
    keyName: string;
    /** Secret. */
    key: string;
}

const parts: Record<Part, { id: string; title: string }> = {
    read: { id: "node.encryption-key-read", title: "make the new encryption key known" },
    write: { id: "node.encryption-key-write", title: "encrypt with the new key" },
    alone: { id: "node.encryption-key-alone", title: "remove the former encryption key" },
};

const stepOf =
    (part: Part): StepFactory<StageSpec> =>
    ({ address, keyName, key }) => ({
        ...parts[part],
        revision: 1,
        env: { ADDRESS: address, KEY_NAME: keyName, STAGE: part },
        secrets: { key },
        run: kubeadmScript("procedures/encryption-key/rotate-encryption-key.sh"),
        observe: { unseen: "a part of a rotation, which is over when the run is" },
        timeoutSeconds: 900,
        errors: errorsFor("ROTATION_FAILED"),
    });

export const encryptionRotationSteps: StepFactory<StageSpec>[] = (["read", "write", "alone"] as const).map(stepOf);

/** At each moment all API servers can read all Secrets. */
export const encryptionStages = (keyName: string): Stage<StageSpec>[] => [
    { each: [stepOf("read")] },
    { each: [stepOf("write")] },
    { once: rewriteSecrets(keyName) },
    { each: [stepOf("alone")] },
];
