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
    /** Seeds of later rotations of the host keys. Only at `up`, too. */
    hostKeys?: NumbersAsked;
    /** The program has no word, and cannot read the state: refused after a rotation. Not stored. */
    unread?: string;
}

/** Of keys or seeds, each with a number: 0 is the first one. */
interface NumbersAsked {
    /** Number of the one that there must be, from 1 on. */
    make?: number;
    /** Those with a lower number are of no use any more. */
    before?: number;
}

export interface ServerKeysState extends Omit<ServerKeysInputs, "login" | "hostKeys" | "unread"> {
    /** 32 random bytes, base64. All host keys are derived from it (see hostKeyOf); "": they were rotated. Secret. */
    seed: string;
    /** By number, from 1 on: the later ones. Undefined: there was no rotation. Secret. */
    seeds?: Record<string, string>;
    /** Numbers of the seeds that are there, for a program that reads the state. Undefined: the first one alone. */
    seedNumbers?: number[];
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
            ...(unread !== undefined && hasRotated(olds) ? [{ property: "", reason: unread }] : []),
        ],
    }),
    diff: (_id, olds, news) => {
        const replaces = changed(olds, news, ["clusterName"]);
        const keys = withAsked(olds, news);
        return { changes: replaces.length > 0 || keys !== olds, replaces };
    },
    create: async ({ login, hostKeys, ...inputs }) => {
        const first: ServerKeysState = { ...inputs, seed: newSeed(), ...newSshKeyPair(inputs.clusterName) };
        return { id: `${inputs.clusterName}/server-keys`, outs: withAsked(first, { login, hostKeys }) };
    },
    read: async (id, state) => ({ id, props: state }),
    update: async (_id, olds, { login, hostKeys, ...news }) => ({
        outs: { ...withAsked(olds, { login, hostKeys }), ...news },
    }),
    delete: async () => {},
};

const newSeed = () => randomBytes(32).toString("base64");

const hasRotated = ({ login, hostKeys }: Partial<ServerKeysInputs>) => login !== undefined || hostKeys !== undefined;

/** The same object, if it has what is asked. */
function withAsked(state: ServerKeysState, asked: Pick<ServerKeysInputs, "login" | "hostKeys">): ServerKeysState {
    const { privateKey, logins, seed, seeds } = state;
    const keys = numbered({ first: privateKey, later: logins }, asked.login, () => newSshKeyPair(state.clusterName));
    const held = numbered({ first: seed, later: seeds }, asked.hostKeys, newSeed);
    if (keys === undefined && held === undefined) return state;
    return {
        ...state,
        ...(keys && { privateKey: keys.first, logins: keys.later, keyNumbers: keys.numbers }),
        ...(held && { seed: held.first, seeds: held.later, seedNumbers: held.numbers }),
    };
}

/** `first` is "" once it has ended. */
interface Numbered<T> {
    first: string;
    later: Record<string, T>;
}

/** Undefined: there is what is asked. None is ever made for a number that there was. */
function numbered<T>(
    { first, later = {} }: Partial<Numbered<T>> & { first: string },
    { make = 0, before = 0 }: NumbersAsked = {},
    another: () => T,
): (Numbered<T> & { numbers: number[] }) | undefined {
    const isMissing = make > 0 && later[make] === undefined;
    const ended = Object.keys(later).filter(number => Number(number) < before);
    const firstEnded = before > 0 && first !== "";
    if (!isMissing && ended.length === 0 && !firstEnded) return undefined;
    const left = Object.entries(later).filter(([number]) => !ended.includes(number));
    const all = { ...Object.fromEntries(left), ...(isMissing && { [make]: another() }) };
    const kept = firstEnded ? "" : first;
    return { first: kept, later: all, numbers: [...(kept === "" ? [] : [0]), ...Object.keys(all).map(Number)] };
}

function named({ clusterName }: Partial<ServerKeysInputs>, { nameInput }: ServerKeysInputs): FixedValues {
    return clusterName === undefined ? {} : { [nameInput ?? "clusterName"]: clusterName };
}
