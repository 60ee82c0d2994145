import { NfvError } from "../common/errors";
import type { CheckFailure, CommonInputs, ResourceType } from "../contract/types";
import { failuresOf, text, unknownValue } from "../contract/values";
import {
    type Certificates,
    defaultValidDays,
    newEncryptionKey,
    newKeySet,
    newServiceAccountKey,
    type PrivateKeys,
    withNewAuthorities,
} from "../identity";
import { encryptionConfig } from "../member/join/api-server-files";
import { keyedHash } from "../steps/fingerprint";

export interface ClusterKeysInputs extends CommonInputs {
    clusterId: string;
    /**
     * Validity of the authorities and of the administrators' certificate, in days. Only used when keys are created.
     * @default 3650
     */
    validDays?: number;
    /** By key that is rotated: another word than the recorded one asks for another key. Without a word the key stays. */
    rotate?: RotationWords;
    /** Secret: key of the fingerprints. With `rotate` only. */
    fingerprintKey?: string;
    /** Name of authorities that all nodes have. Others can follow; where the program no longer asks for their rotation, the former one's certificate goes. */
    endedAuthorities?: string;
}

export interface RotationWords {
    encryptionKey?: string;
    serviceAccountKey?: string;
    authorities?: string;
}

export interface ClusterKeysState extends Omit<ClusterKeysInputs, "fingerprintKey" | "endedAuthorities"> {
    /** `rotated`: the words of the rotations that were asked for. Here, because an output that a state does not have is unknown at preview. */
    certificates: { current: Certificates; rotated?: RotationWords };
    /** Secret. */
    keys: PrivateKeys;
}

const validDays = (value: unknown) =>
    value === undefined || (typeof value === "number" && value >= 1)
        ? undefined
        : `must be a number of days, got ${JSON.stringify(value)}`;

/**
 * The keys of a cluster. They may change while the cluster lives, so they are apart from its id: a preview that does not
 * know the next keys still knows the id, by which all other resources belong to the cluster.
 */
export const clusterKeys: ResourceType<ClusterKeysInputs, ClusterKeysState> = {
    check: (olds, news) => ({
        inputs: news,
        failures: [...failuresOf(news, { clusterId: text, validDays }), ...refuseOtherCluster(olds, news)],
    }),
    // Never a replacement: it would lose the keys that the nodes have.
    diff: (_id, olds, news) => ({ changes: askedKeys(olds, news).length > 0 || hasEndedFormer(olds, news) }),
    create: async inputs => {
        const { certificates, keys } = await newKeySet(inputs.validDays);
        const outs = {
            ...stored(inputs),
            certificates: { current: certificates, ...rotated({}, inputs) },
            keys,
        };
        return { id: `${inputs.clusterId}/keys`, outs };
    },
    read: async (id, state) => ({ id, props: state }),
    update: async (_id, olds, news) => ({ outs: await withNewKeys(olds, news) }),
    delete: async () => {},
};

/** The former authority is still there, and has ended. */
function hasEndedFormer({ certificates }: ClusterKeysState, { endedAuthorities, rotate }: ClusterKeysInputs): boolean {
    if (endedAuthorities === undefined) return false;
    const { exchanged } = certificates.current;
    return rotate?.authorities === undefined && exchanged?.former !== undefined && exchanged.name === endedAuthorities;
}

/** Nodes take others only by a bridge from those that they have: one from authorities that never reached them is of no use, and its key would be lost. */
function refuseEarlyAuthorities({ certificates }: ClusterKeysState, { endedAuthorities, rotate }: ClusterKeysInputs) {
    const { current, rotated: words } = certificates;
    if (current.exchanged?.former === undefined || current.exchanged.name === endedAuthorities) return;
    throw new NfvError({
        code: "ROTATION_FAILED",
        cause: `the word "${rotate?.authorities}" asks for other authorities, and the state does not say that the nodes have those of "${words?.authorities}"`,
        hint: `Put "${words?.authorities}" back until the rotation has ended on the nodes: with rotate.authoritiesGraceHours 0 the next run ends it.`,
    });
}

const rotatable = ["encryptionKey", "serviceAccountKey", "authorities"] as const;
type Rotatable = (typeof rotatable)[number];

/** The keys for which the program has another word. */
function askedKeys({ certificates }: ClusterKeysState, { rotate = {} }: ClusterKeysInputs): Rotatable[] {
    return rotatable.filter(key => rotate[key] !== undefined && rotate[key] !== certificates.rotated?.[key]);
}

type Current = { certificates: Certificates; keys: PrivateKeys };

interface Replacement {
    /** The keyed hash of a text. */
    seal: (text: string) => string;
    validDays: number;
}

/** A former key does not stay: the control-plane nodes have it until nothing needs it. Only the first rotation still knows the key with which the cluster was made. */
const replace: Record<Rotatable, (current: Current, how: Replacement) => Promise<Current>> = {
    encryptionKey: async ({ certificates, keys }, { seal }) => {
        const firstEncryption = keys.firstEncryption ?? seal(encryptionConfig(keys.encryptionKey));
        return { certificates, keys: { ...keys, ...newEncryptionKey(), firstEncryption } };
    },
    serviceAccountKey: async ({ certificates, keys }, { seal }) => {
        const { serviceAccountPublicKey, ...secret } = await newServiceAccountKey();
        const first = {
            firstServiceAccountKey: keys.firstServiceAccountKey ?? seal(keys.serviceAccountKey),
            firstServiceAccountPublicKey: keys.firstServiceAccountPublicKey ?? certificates.serviceAccountPublicKey,
        };
        return { certificates: { ...certificates, serviceAccountPublicKey }, keys: { ...keys, ...secret, ...first } };
    },
    authorities: withNewAuthorities,
};

async function withNewKeys(olds: ClusterKeysState, news: ClusterKeysInputs): Promise<ClusterKeysState> {
    const { fingerprintKey, validDays = defaultValidDays } = news;
    let current = { certificates: olds.certificates.current, keys: olds.keys };
    if (hasEndedFormer(olds, news)) current = { ...current, certificates: withoutFormer(current.certificates) };
    const asked = askedKeys(olds, news);
    if (asked.length > 0 && fingerprintKey === undefined)
        throw new Error("a rotation needs the key of the fingerprints");
    if (asked.includes("authorities")) refuseEarlyAuthorities(olds, news);
    const how = { validDays, seal: (text: string) => keyedHash(fingerprintKey!, text) };
    for (const key of asked) current = await replace[key](current, how);
    return {
        ...stored(news),
        certificates: { ...olds.certificates, current: current.certificates, ...rotated(olds.certificates, news) },
        keys: current.keys,
    };
}

function withoutFormer({ exchanged, ...others }: Certificates): Certificates {
    const { former: _, ...kept } = exchanged!;
    return { ...others, exchanged: kept };
}

function stored({ fingerprintKey: _, endedAuthorities: __, ...others }: ClusterKeysInputs) {
    return others;
}

/** A word that was taken out of the program stays recorded: put back, it asks for nothing. */
function rotated(olds: { rotated?: RotationWords }, { rotate = {} }: ClusterKeysInputs): { rotated?: RotationWords } {
    const given = Object.fromEntries(rotatable.flatMap(key => (rotate[key] === undefined ? [] : [[key, rotate[key]]])));
    const words = { ...olds.rotated, ...given };
    return Object.keys(words).length === 0 ? {} : { rotated: words };
}

function refuseOtherCluster(olds: Partial<ClusterKeysInputs>, news: ClusterKeysInputs): CheckFailure[] {
    const [before, after] = [olds.clusterId, news.clusterId];
    if (before === undefined || before === after || [before, after].includes(unknownValue)) return [];
    return [{ property: "clusterId", reason: `these are the keys of ${before}, they cannot become those of ${after}` }];
}
