import { randomBytes } from "node:crypto";
import { type FixedValues, refusedChanges } from "../contract/fixed-inputs";
import type { CommonInputs, ResourceType } from "../contract/types";
import { changed, failuresOf, text } from "../contract/values";
import { newSshKeyPair, type SshKeyPair } from "../openstack/host-key";

export interface ServerKeysInputs extends CommonInputs {
    clusterName: string;
    /** See ClusterIdInputs. */
    nameInput?: "serverName";
    /** Login keys of later rotations. Only at `up`: nothing of this resource is known at a preview that changes it, and all machines are reached by it. */
    login?: NumbersAsked;
    /** The program has no word, and cannot read the state: refused after a rotation. Not stored. */
    unread?: string;
}

/** Each login key has a number: 0 is the first one. */
interface NumbersAsked {
    /** Number of the one that there must be, from 1 on. */
    make?: number;
    /** Those with a lower number are of no use any more. */
    before?: number;
}

export interface ServerKeysState extends Omit<ServerKeysInputs, "login" | "unread"> {
    /** 32 random bytes, base64. All host keys are derived from it (see hostKeyOf). Secret. */
    seed: string;
    /** Our first login key in OpenSSH form; "": it was rotated. Secret. */
    privateKey: string;
    /** "ssh-ed25519 AAAA…", of the first key. It stays: by it the cloud's resources are known as ours. */
    publicKey: string;
    /** By number, from 1 on: the later ones. Undefined: there was no rotation. Secret. */
    logins?: Record<string, SshKeyPair>;
    /** Numbers of the private keys that are there, for a program that reads the state. Undefined: the first one alone. */
    keyNumbers?: number[];
}

/** SSH keys of a cluster whose servers we create. Created once, so that nothing changes when servers come and go. */
export const serverKeys: ResourceType<ServerKeysInputs, ServerKeysState> = {
    // This resource does not wait for the cluster's identity, so it must refuse another name, too.
    check: (olds, { unread, ...news }) => ({
        inputs: news,
        failures: [
            ...failuresOf(news, { clusterName: text }),
            ...refusedChanges(named(olds, news), named(news, news)),
            ...(unread !== undefined && olds.login !== undefined ? [{ property: "", reason: unread }] : []),
        ],
    }),
    diff: (_id, olds, news) => {
        const replaces = changed(olds, news, ["clusterName"]);
        const keys = withAsked(olds, news);
        return { changes: replaces.length > 0 || keys !== olds, replaces };
    },
    create: async ({ login, ...inputs }) => {
        const seed = randomBytes(32).toString("base64");
        const first: ServerKeysState = { ...inputs, seed, ...newSshKeyPair(inputs.clusterName) };
        return { id: `${inputs.clusterName}/server-keys`, outs: withAsked(first, { login }) };
    },
    read: async (id, state) => ({ id, props: state }),
    update: async (_id, olds, { login, ...news }) => ({ outs: { ...withAsked(olds, { login }), ...news } }),
    delete: async () => {},
};

/** The same object, if it has what is asked. No key is ever made for a number that there was. */
function withAsked(
    state: ServerKeysState,
    { login: { make = 0, before = 0 } = {} }: Pick<ServerKeysInputs, "login">,
): ServerKeysState {
    const { privateKey: first, logins = {} } = state;
    const isMissing = make > 0 && logins[make] === undefined;
    const ended = Object.keys(logins).filter(number => Number(number) < before);
    const firstEnds = before > 0 && first !== "";
    if (!isMissing && ended.length === 0 && !firstEnds) return state;
    const left = Object.fromEntries(Object.entries(logins).filter(([number]) => !ended.includes(number)));
    const later = { ...left, ...(isMissing && { [make]: newSshKeyPair(state.clusterName) }) };
    const privateKey = firstEnds ? "" : first;
    const keyNumbers = [...(privateKey === "" ? [] : [0]), ...Object.keys(later).map(Number)];
    return { ...state, privateKey, logins: later, keyNumbers };
}

function named({ clusterName }: Partial<ServerKeysInputs>, { nameInput }: ServerKeysInputs): FixedValues {
    return clusterName === undefined ? {} : { [nameInput ?? "clusterName"]: clusterName };
}
