import { type ErrorCode, NfvError } from "../common/errors";

/*
 * Whether a key of a running cluster may be exchanged now. Decided purely, from what all control-plane nodes say before anything changes. The keys in use are
 * in the nodes' own files; so a run that was killed goes on from what it finds there.
 */

/** What one control-plane node says. */
export interface RotationState {
    node: string;
    /** Id of the cluster of which it is a member; "": none. */
    member: string;
    /** Its API server is ready. */
    ready: boolean;
    /** Its API server reads the files that we write. */
    ours: boolean;
    /** Names of the keys that it knows, the newest first. Of those for Secrets the first one encrypts. */
    keys: string[];
    /** Name of the key that signs tokens of service accounts; "": not asked for, or there is none. */
    signs: string;
    /** Its etcd has a leader. */
    etcd: boolean;
    /** Names of etcd's members, as it knows them. */
    members: string[];
}

/** What is exchanged, in the words of errors. */
export interface RotatedKey {
    /** "rotate the encryption key" */
    step: string;
    /** "rotate.encryptionKey" */
    input: string;
    /** Of a refusal. @default "ROTATION_FAILED" */
    code?: ErrorCode;
    /** Cause and hint where `ours` is false. */
    notOurs: { cause: string; hint: string };
    /** What to do about a control-plane node that does not work. @default it is healed without the word */
    healing?: string;
}

export function parseRotationState(node: string, said: string): RotationState {
    const value = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(said)?.[1]?.trim() ?? "";
    const words = (name: string) => value(name).split(" ").filter(Boolean);
    const yes = (name: string) => value(name) === "yes";
    const flags = { ready: yes("ready"), ours: yes("ours"), etcd: yes("etcd") };
    const names = { keys: words("keys"), signs: words("signs")[0] ?? "", members: words("members") };
    return { node, member: words("member")[0] ?? "", ...flags, ...names };
}

/** Why nothing may be changed now; undefined: it may. `joining`: control-plane nodes that are members later in this run. */
export function whyNotRotate(
    key: RotatedKey,
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
        return row === undefined ? [] : [{ node: state.node, cause: row.cause(state, key), hint: row.hint(key) }];
    })[0];
    if (found !== undefined) return refusal(key, found);
    if (others.length === 0) return undefined;
    return refusal(key, {
        cause: `etcd has members that the program does not: ${others.join(", ")}. Their API servers would go on with the former key`,
        hint: `Take ${key.input} out of the program and run pulumi up, so that they leave. Then put it back.`,
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
 * join in this run. `healed`: nodes that are healed before.
 */
export function whyNotAtPreview(
    key: RotatedKey,
    looked: readonly Looked[],
    clusterId: string,
    healed: readonly string[] = [],
): NfvError | undefined {
    const states = looked.flatMap(({ state }) => state ?? []);
    const known = new Set(states.filter(({ member }) => member === clusterId).flatMap(({ members }) => members));
    const ofCluster = looked.filter(
        ({ node, state }) => !healed.includes(node) && (known.has(node) || state?.member === clusterId),
    );
    const away = ofCluster.find(({ unreachable }) => unreachable !== undefined);
    if (away?.unreachable !== undefined) return away.unreachable;
    const joining = looked.filter(each => !ofCluster.includes(each)).map(({ node }) => node);
    return whyNotRotate(
        key,
        ofCluster.flatMap(({ state }) => state ?? []),
        clusterId,
        joining,
    );
}

interface Row {
    when(state: RotationState, cluster: { clusterId: string; names: readonly string[] }): boolean;
    cause(state: RotationState, key: RotatedKey): string;
    hint(key: RotatedKey): string;
}

const healFirst = ({ input, healing }: RotatedKey) =>
    healing ??
    `All control-plane nodes must work. Heal it (heal in the program, or nfv heal); ${input} stays in the program, and goes on in that run.`;

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
        cause: (_, { notOurs }) => notOurs.cause,
        hint: ({ notOurs }) => notOurs.hint,
    },
    {
        when: ({ members }, { names }) => names.some(name => !members.includes(name)),
        cause: ({ members }) => `etcd does not have all control-plane nodes as members, only: ${members.join(", ")}`,
        hint: healFirst,
    },
];

function refusal(
    { step, code = "ROTATION_FAILED" }: RotatedKey,
    details: { node?: string; cause: string; hint: string },
): NfvError {
    const { cause, ...others } = details;
    return new NfvError({
        code,
        step,
        ...others,
        cause: `${cause}; nothing was changed in this run`,
    });
}
