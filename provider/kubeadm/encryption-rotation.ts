import { NfvError } from "../errors";
import { errorsFor } from "../shell/exit-codes";
import type { StepFactory } from "../steps/types";
import { kubeadmScript } from "./kubeadm-script";

/*
 * The rotation of the key that encrypts Secrets in etcd: whether it may begin, and what is done in which order. Decided purely, from what all control-plane
 * nodes say before anything changes. The keys in use are in the settings of the API servers; so a run that was killed goes on from what it finds there.
 */

/** What one control-plane node says. */
export interface RotationState {
    node: string;
    /** Id of the cluster of which it is a member; "": none. */
    member: string;
    /** Its API server is ready. */
    ready: boolean;
    /** Its API server reads our settings. */
    ours: boolean;
    /** Names of the keys; the first one encrypts. */
    keys: string[];
    /** Its etcd has a leader. */
    etcd: boolean;
    /** Names of etcd's members, as it knows them. */
    members: string[];
}

/** How it is asked. Fake nodes in tests recognise it. */
export const rotationStateArgv: readonly string[] = ["sh", "-s", "pulumi-nfv-rotation"];
export const rotationStateScript = kubeadmScript("kubeadm/print-rotation-state.sh");

export function parseRotationState(node: string, said: string): RotationState {
    const value = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(said)?.[1]?.trim() ?? "";
    const words = (name: string) => value(name).split(" ").filter(Boolean);
    const yes = (name: string) => value(name) === "yes";
    const flags = { ready: yes("ready"), ours: yes("ours"), etcd: yes("etcd") };
    return { node, member: words("member")[0] ?? "", ...flags, keys: words("keys"), members: words("members") };
}

/** All control-plane nodes have the new key alone. */
export function isRotated(states: readonly RotationState[], keyName: string): boolean {
    return states.every(({ keys }) => keys.length === 1 && keys[0] === keyName);
}

/** Why nothing may be changed now; undefined: it may. `joining`: control-plane nodes that are members later in this run. */
export function whyNotRotate(
    states: readonly RotationState[],
    clusterId: string,
    joining: readonly string[] = [],
): NfvError | undefined {
    const names = states.map(({ node }) => node);
    const others = [...new Set(states.flatMap(({ members }) => members))].filter(
        member => ![...names, ...joining].includes(member),
    );
    const found = states.flatMap(state => {
        const row = rows.find(({ when }) => when(state, { clusterId, names }));
        return row === undefined ? [] : [{ node: state.node, cause: row.cause(state), hint: row.hint }];
    })[0];
    if (found !== undefined) return refusal(found);
    if (others.length === 0) return undefined;
    return refusal({
        cause: `etcd has members that the program does not: ${others.join(", ")}. Their API servers would go on with the former key`,
        hint: "Take rotate.encryptionKey out of the program and run pulumi up, so that they leave. Then put it back.",
    });
}

/** What is known of a node at preview: what it said, or why it did not answer. */
export interface Looked {
    node: string;
    state?: RotationState;
    unreachable?: NfvError;
}

/**
 * Why the run that is previewed would change nothing; undefined: it may, or the cluster does not exist yet, or does not answer. Nodes that etcd does not know
 * join in this run.
 */
export function whyNotAtPreview(looked: readonly Looked[], clusterId: string): NfvError | undefined {
    const states = looked.flatMap(({ state }) => state ?? []);
    const known = new Set(states.filter(({ member }) => member === clusterId).flatMap(({ members }) => members));
    const ofCluster = looked.filter(({ node, state }) => known.has(node) || state?.member === clusterId);
    const away = ofCluster.find(({ unreachable }) => unreachable !== undefined);
    if (away?.unreachable !== undefined) return away.unreachable;
    const joining = looked.filter(each => !ofCluster.includes(each)).map(({ node }) => node);
    return whyNotRotate(
        ofCluster.flatMap(({ state }) => state ?? []),
        clusterId,
        joining,
    );
}

interface Row {
    when(state: RotationState, cluster: { clusterId: string; names: readonly string[] }): boolean;
    cause(state: RotationState): string;
    hint: string;
}

const healFirst =
    "All control-plane nodes must work. Heal it, then run pulumi up again; to heal it by pulumi up, take rotate.encryptionKey out of the program meanwhile.";

const rows: Row[] = [
    {
        when: ({ member }, { clusterId }) => member !== clusterId,
        cause: () => "it is no control-plane node of this cluster",
        hint: healFirst,
    },
    { when: ({ ready }) => !ready, cause: () => "its API server is not ready", hint: healFirst },
    { when: ({ etcd }) => !etcd, cause: () => "its etcd is not healthy", hint: healFirst },
    {
        when: ({ ours }) => !ours,
        cause: () => "its API server does not use the encryption settings that pulumi-nfv writes",
        hint: "Settings of your own are yours to rotate: take rotate.encryptionKey out of the program.",
    },
    {
        when: ({ members }, { names }) => names.some(name => !members.includes(name)),
        cause: ({ members }) => `etcd does not have all control-plane nodes as members, only: ${members.join(", ")}`,
        hint: healFirst,
    },
];

function refusal(details: { node?: string; cause: string; hint: string }): NfvError {
    const { cause, ...others } = details;
    const step = "rotate the encryption key";
    return new NfvError({
        code: "ROTATION_FAILED",
        step,
        ...others,
        cause: `${cause}; nothing was changed in this run`,
    });
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
        run: kubeadmScript("kubeadm/rotate-encryption-key.sh"),
        observe: { unseen: "a part of a rotation, which is over when the run is" },
        timeoutSeconds: 900,
        errors: errorsFor("ROTATION_FAILED"),
    });

const stages = [...stagesBeforeRewriting, ...stagesAfterRewriting];
export const encryptionRotationSteps: StepFactory<StageSpec>[] = stages.map(stageStep);

export function stepsOf(stage: Stage): StepFactory<StageSpec>[] {
    return [stageStep(stage)];
}
