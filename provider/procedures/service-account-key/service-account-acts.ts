import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import { errorsFor } from "../../shell/exit-codes";
import { step } from "../../steps/step";
import type { KnownStep, StepRow } from "../../steps/types";
import type { RotatedKey, RotationState } from "../rotation-state";
import type { Stage } from "../stages";
import { renewTokenSecrets } from "./renew-token-secrets";

/**
 * The rotation of the key that signs tokens of service accounts: what is done in which order. Tokens of the former key stay valid for a while, because pods
 * have them: kubelet gives each pod a new one before an hour is over.
 */
export const serviceAccountKey: RotatedKey = {
    step: "rotate the service-account key",
    input: "rotate.serviceAccountKey",
    notOurs: {
        cause: "its API server or controller manager uses other files of service-account keys than kubeadm's",
        hint: "Keys of your own are yours to rotate: take rotate.serviceAccountKey out of the program.",
    },
};

/** How it is asked. Fake nodes in tests recognise it. */
export const serviceAccountStateArgv: readonly string[] = ["sh", "-s", "pulumi-nfv-service-account-key"];
export const serviceAccountStateScript = kubeadmScript("procedures/service-account-key/print-service-account-state.sh");

/** All control-plane nodes sign with the new key, and accept it. */
export function allSign(states: readonly RotationState[], keyName: string): boolean {
    return states.every(({ keys, signs }) => signs === keyName && keys.includes(keyName));
}

/** No control-plane node accepts another key. */
export function isAlone(states: readonly RotationState[], keyName: string): boolean {
    return allSign(states, keyName) && states.every(({ keys }) => keys.length === 1);
}

type Part = "known" | "sign" | "alone";

export interface KeyStageSpec {
    /** Where its API server listens. */
    address: string;
    keyName: string;
    /** Secret. */
    key: string;
    publicKey: string;
    /** Name of the one that stays accepted beside the new one; without it all stay. Only when the new one gets known. */
    formerKey?: string;
}

const restarts = {
    disruptive: "the API server of this machine restarts, and its controller manager with another key that signs",
    api: "restarts",
} as const;

const parts: Record<Part, Pick<StepRow, "id" | "title">> = {
    known: { id: "node.service-account-key-known", title: "accept tokens of the new service-account key" },
    sign: { id: "node.service-account-key-sign", title: "sign tokens with the new service-account key" },
    alone: { id: "node.service-account-key-alone", title: "accept no tokens of the former service-account key" },
};

const stepOf = (part: Part): KnownStep<KeyStageSpec> =>
    step<KeyStageSpec>({ ...parts[part], ...restarts })(({ address, keyName, key, publicKey, formerKey = "" }) => ({
        revision: 1,
        env: { ADDRESS: address, KEY_NAME: keyName, FORMER_KEY: formerKey, STAGE: part },
        secrets: { key, public: publicKey },
        run: kubeadmScript("procedures/service-account-key/rotate-service-account-key.sh"),
        observe: { unseen: "a part of a rotation, which is over when the run is" },
        // twice: 90 s for the end of the former process, then 180 s for the new one; and the API server gets 240 s until it is ready
        timeoutSeconds: 1200,
        errors: errorsFor("ROTATION_FAILED"),
    }));

export const serviceAccountRotationSteps: KnownStep<KeyStageSpec>[] = (["known", "sign", "alone"] as const).map(stepOf);

/** Until the new key signs. `present`: tokens that last get this key first, because those of keys before it end; "": there are none. */
export const stagesUntilSigned = (present: string): Stage<KeyStageSpec>[] => [
    ...(present === "" ? [] : [{ once: renewTokenSecrets(present) }]),
    { each: [stepOf("known")] },
    { each: [stepOf("sign")] },
];

/** An API server takes a lasting token only as its Secret has it, so copies of the superseded one end here. */
export const stagesAtEnd = (keyName: string): Stage<KeyStageSpec>[] => [
    { once: renewTokenSecrets(keyName) },
    { each: [stepOf("alone")] },
];
