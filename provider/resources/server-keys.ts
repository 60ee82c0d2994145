import { randomBytes } from "node:crypto";
import { newSshKeyPair } from "../openstack/host-key";
import { type FixedValues, refusedChanges } from "./fixed-inputs";
import type { CommonInputs, ResourceType } from "./types";
import { changed, failuresOf, text } from "./values";

export interface ServerKeysInputs extends CommonInputs {
    clusterName: string;
    /** See ClusterIdInputs. */
    nameInput?: "serverName";
}

export interface ServerKeysState extends ServerKeysInputs {
    /** 32 random bytes, base64. All host keys are derived from it (see hostKeyOf). Secret. */
    seed: string;
    /** Our login key in OpenSSH form. Secret. */
    privateKey: string;
    /** "ssh-ed25519 AAAA…". */
    publicKey: string;
}

/** SSH keys of a cluster whose servers we create. Created once, so that nothing changes when servers come and go. */
export const serverKeys: ResourceType<ServerKeysInputs, ServerKeysState> = {
    // This resource does not wait for the cluster's identity, so it must refuse another name, too.
    check: (olds, news) => ({
        inputs: news,
        failures: [...failuresOf(news, { clusterName: text }), ...refusedChanges(named(olds, news), named(news, news))],
    }),
    diff: (_id, olds, news) => {
        const replaces = changed(olds, news, ["clusterName"]);
        return { changes: replaces.length > 0, replaces };
    },
    create: async inputs => ({
        id: `${inputs.clusterName}/server-keys`,
        outs: {
            ...inputs,
            seed: randomBytes(32).toString("base64"),
            ...newSshKeyPair(inputs.clusterName),
        },
    }),
    read: async (id, state) => ({ id, props: state }),
    update: async (_id, olds, news) => ({ outs: { ...olds, ...news } }),
    delete: async () => {},
};

function named({ clusterName }: Partial<ServerKeysInputs>, { nameInput }: ServerKeysInputs): FixedValues {
    return clusterName === undefined ? {} : { [nameInput ?? "clusterName"]: clusterName };
}
