import type { CommonInputs, ResourceType } from "../contract/types";
import { changed, failuresOf, hasUnknown, text, unknownValue } from "../contract/values";
import { whyNotNew } from "../etcd/departed-control-plane";
import { forcedInput, forceIfAsked, isAsked, whyNotForced } from "../etcd/new-cluster";
import { machineKey, type Peer } from "../machine/machine";
import { noteProgramMasters } from "../machine/program-masters";
import { asFailures } from "../vim/check-cluster";
import { lookAtNewMachines, type NewMachines } from "./new-machines-look";

export interface MastersInputs extends CommonInputs {
    clusterId: string;
    /** The program's control-plane nodes: JSON of Peer[]. Secret. */
    peers: string;
    /**
     * The machines that the state has, "core-1a2b3c4d/m1": only they can have become masters. Undefined: the state could not be read. Not stored.
     */
    recorded?: string[];
    /** At a preview: machines that exist, by name; see ProgramMachine. Secret, not stored. */
    toLookAt?: Record<string, string>;
    /** Set by check: those of all former programs that this one does not have. Inputs that check sets are not secret, so: no login. */
    formers?: Former[];
    /** Set by check in a run that is to make etcd a new cluster: what preview shows. */
    forceNewCluster?: string;
    /** Word of a restore of etcd onto new machines: all former masters are lost. */
    ontoNew?: string;
}

/**
 * Records how the control-plane nodes of this program and of former ones are reached. All machines wait for its check: a master asks
 * those that the program no longer has before it begins a cluster, and a machine that goes leaves through those that stay.
 */
export const masters: ResourceType<MastersInputs, MastersInputs> = {
    check: (olds, { recorded, toLookAt: _, ...news }, context) => {
        const { clusterId, peers } = news;
        const failures = failuresOf(news, { clusterId: text, peers: text });
        if (hasUnknown([clusterId, peers])) {
            const kept = olds.formers !== undefined && { formers: olds.formers };
            return { inputs: { ...news, ...kept, ...forcedInput(clusterId) }, failures };
        }
        // A run that was refused has stored its masters all the same: the next one must ask the same formers.
        const wanted = peersIn(peers);
        const before = [...peersIn(olds.peers), ...(olds.formers ?? []).map(former => withLogin(former, wanted[0]))];
        const isKnown = ({ name }: Peer) => !Array.isArray(recorded) || recorded.includes(`${clusterId}/${name}`);
        const formers = formersOf(before.filter(isKnown), wanted);
        noteProgramMasters(context, clusterId, formers, wanted, olds.peers !== undefined);
        const kept = formers.length > 0 && { formers: formers.map(withoutLogin) };
        return { inputs: { ...news, ...kept, ...forcedInput(clusterId) }, failures };
    },
    needsCheckInCloud: (_olds, { clusterId, peers, ontoNew, toLookAt }) =>
        toLookAt !== undefined || ((isAsked() || ontoNew !== undefined) && !hasUnknown([clusterId, peers])),
    // Before any machine of the cluster is touched.
    checkInCloud: async (olds, { clusterId, peers, ontoNew: word, recorded, toLookAt }, context) => {
        const isKnown = !hasUnknown([clusterId, peers]);
        return {
            failures: [
                ...(isKnown && isAsked() ? await whyNotForced(clusterId, context) : []),
                ...(isKnown && word !== undefined
                    ? asFailures(await whyNotNew(clusterId, { word, begun: olds.ontoNew === word }, context))
                    : []),
                ...(toLookAt === undefined
                    ? []
                    : asFailures(
                          await lookAtNewMachines(newMachines(olds, { clusterId, recorded, toLookAt }), context),
                      )),
            ],
        };
    },
    // Formers come only when the peers change. When they go, the engine stores the new inputs without an update, too.
    // Neither is it a change that this run does not force what a former one did.
    diff: (_id, olds, news) => ({
        changes:
            changed(olds, news, ["clusterId", "peers", "ontoNew"]).length > 0 || news.forceNewCluster !== undefined,
    }),
    create: async (inputs, context) => {
        await forceIfAsked(inputs.clusterId, context);
        return { id: `${inputs.clusterId}/masters`, outs: withoutForce(inputs) };
    },
    read: async (id, state) => ({ id, props: state }),
    update: async (_id, _olds, news, context) => {
        await forceIfAsked(news.clusterId, context);
        return { outs: withoutForce(news) };
    },
    delete: async () => {},
};

/** Where the id is not known at a preview, the state may have it. */
function newMachines(
    olds: Partial<MastersInputs>,
    { clusterId: given, recorded, toLookAt = {} }: Pick<MastersInputs, "clusterId" | "recorded" | "toLookAt">,
): NewMachines {
    const clusterId = hasUnknown(given) ? olds.clusterId : given;
    return {
        ...(clusterId !== undefined && { clusterId }),
        machines: toLookAt,
        isRecorded: name => recorded?.includes(`${clusterId}/${name}`) ?? olds.peers !== undefined,
    };
}

/** It was done once: the state does not have it. */
function withoutForce({ forceNewCluster: _, ...others }: MastersInputs): MastersInputs {
    return others;
}

interface Former {
    name: string;
    address?: string;
    connection: Pick<Peer["connection"], "host" | "port" | "user" | "hostKey">;
}

function withoutLogin({ name, address, connection: { host, port, user, hostKey } }: Peer): Former {
    return { name, address, connection: { host, port, user, hostKey } };
}

/** By the login of a master of the program: most clusters have one for all machines. */
function withLogin({ name, address, connection }: Former, one: Peer | undefined): Peer {
    const known = Object.fromEntries(Object.entries(connection).filter(([, value]) => value !== undefined));
    return {
        name,
        connection: { ...one?.connection, ...known } as Peer["connection"],
        ...(address !== undefined && { address }),
    };
}

/** Each machine once. */
function formersOf(before: readonly Peer[], wanted: readonly Peer[]): Peer[] {
    const there = new Set(wanted.map(machineKey));
    return [
        ...new Map(before.filter(peer => !there.has(machineKey(peer))).map(peer => [machineKey(peer), peer])).values(),
    ];
}

function peersIn(text: string | undefined): Peer[] {
    return text === undefined || text === unknownValue ? [] : (JSON.parse(text) as Peer[]);
}
