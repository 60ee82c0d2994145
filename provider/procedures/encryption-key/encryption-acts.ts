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

type Row = { id: string; title: string };

/** `placed`: the keys are in their file. `used`: the API server has them. */
const parts: Record<Part, { placed: Row; used: Row }> = {
    read: {
        placed: { id: "node.encryption-key-read-placed", title: "place the new encryption key" },
        used: { id: "node.encryption-key-read", title: "make the new encryption key known" },
    },
    write: {
        placed: { id: "node.encryption-key-write-placed", title: "place the new encryption key as the first one" },
        used: { id: "node.encryption-key-write", title: "encrypt with the new key" },
    },
    alone: {
        placed: { id: "node.encryption-key-alone-placed", title: "place the new encryption key alone" },
        used: { id: "node.encryption-key-alone", title: "remove the former encryption key" },
    },
};

const script = kubeadmScript("procedures/encryption-key/rotate-encryption-key.sh");

const stepOf =
    (part: Part, until: "placed" | "used"): StepFactory<StageSpec> =>
    ({ address, keyName, key }) => ({
        ...parts[part][until],
        revision: 1,
        env: { ADDRESS: address, KEY_NAME: keyName, STAGE: part, WAITS: until === "used" ? "yes" : "" },
        secrets: { key },
        run: script,
        observe: { unseen: "a part of a rotation, which is over when the run is" },
        timeoutSeconds: until === "used" ? 900 : 300,
        errors: errorsFor("ROTATION_FAILED"),
    });

export const encryptionRotationSteps: StepFactory<StageSpec>[] = (["read", "write", "alone"] as const).flatMap(part => [
    stepOf(part, "placed"),
    stepOf(part, "used"),
]);

/**
 * The API servers look at their file once a minute, so all of them get it at once and are waited for in turn: an API server that does not take it over is
 * restarted, and only one at a time may be.
 */
const part = (name: Part): Stage<StageSpec>[] => [
    { each: [stepOf(name, "placed")], how: "together" },
    { each: [stepOf(name, "used")] },
];

/** At each moment all API servers can read all Secrets. The first one alone tries the file with the new key: one that refuses it would not start again. */
export const encryptionStages = (keyName: string): Stage<StageSpec>[] => [
    { each: [stepOf("read", "placed"), stepOf("read", "used")], how: "firstAlone" },
    ...part("read"),
    ...part("write"),
    { once: rewriteSecrets(keyName) },
    ...part("alone"),
];

/** Where all files have the new key alone. A run may have been stopped before the API servers used them. */
export const untilUsedAlone: Stage<StageSpec>[] = [{ each: [stepOf("alone", "used")] }];
