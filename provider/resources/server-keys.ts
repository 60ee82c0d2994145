import { randomBytes } from "node:crypto";
import { newSshKeyPair, type SshKeyPair } from "../openstack/host-key";
import { type FixedValues, refusedChanges } from "./fixed-inputs";
import type { CommonInputs, ResourceType } from "./types";
import { changed, failuresOf, text } from "./values";

export interface ServerKeysInputs extends CommonInputs {
    clusterName: string;
    /** See ClusterIdInputs. */
    nameInput?: "serverName";
    /** Login keys of later rotations. Only at `up`: nothing of this resource is known at a preview that changes it, and all machines are reached by it. */
    login?: LoginKeysAsked;
    /** The program has no word, and cannot read the state: refused after a rotation. Not stored. */
    unread?: string;
}

interface LoginKeysAsked {
    /** Number of the key that there must be, from 1 on. */
    make?: number;
    /** Keys with a lower number are of no use any more. 0 is the first key. */
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
        const keys = withLogins(olds, news.login);
        return { changes: replaces.length > 0 || keys !== olds, replaces };
    },
    create: async ({ login, ...inputs }) => {
        const seed = randomBytes(32).toString("base64");
        const first: ServerKeysState = { ...inputs, seed, ...newSshKeyPair(inputs.clusterName) };
        return { id: `${inputs.clusterName}/server-keys`, outs: withLogins(first, login) };
    },
    read: async (id, state) => ({ id, props: state }),
    update: async (_id, olds, { login, ...news }) => ({ outs: { ...withLogins(olds, login), ...news } }),
    delete: async () => {},
};

/** The same object, if it has what is asked. A key is never made for a number that there was. */
function withLogins(state: ServerKeysState, { make = 0, before = 0 }: LoginKeysAsked = {}): ServerKeysState {
    const { logins = {}, clusterName } = state;
    const isMissing = make > 0 && logins[make] === undefined;
    const ended = Object.keys(logins).filter(number => Number(number) < before);
    const firstEnded = before > 0 && state.privateKey !== "";
    if (!isMissing && ended.length === 0 && !firstEnded) return state;
    const left = Object.entries(logins).filter(([number]) => !ended.includes(number));
    const later = { ...Object.fromEntries(left), ...(isMissing && { [make]: newSshKeyPair(clusterName) }) };
    const privateKey = firstEnded ? "" : state.privateKey;
    const keyNumbers = [...(privateKey === "" ? [] : [0]), ...Object.keys(later).map(Number)];
    return { ...state, privateKey, logins: later, keyNumbers };
}

function named({ clusterName }: Partial<ServerKeysInputs>, { nameInput }: ServerKeysInputs): FixedValues {
    return clusterName === undefined ? {} : { [nameInput ?? "clusterName"]: clusterName };
}
