import { NfvError } from "../common/errors";
import { peerUrlOf } from "../kubeadm/lost-majority";
import type { Looked } from "./rotation-state";

/** A control-plane node of the program. */
export interface KnownMaster {
    name: string;
    address: string;
}

interface Question {
    clusterId: string;
    masters: readonly KnownMaster[];
    looked: readonly Looked[];
    /** What the user gave up by name in this cluster. */
    givenUp: readonly string[];
}

/** Who is not there while the authorities are exchanged, where that is borne. */
export interface Away {
    /** Control-plane nodes of the program that do not answer, or that are no members now: their machine is another one, or they join later. */
    masters: string[];
    /** They and members of etcd that the user gave up: how etcd may know them. */
    members: string[];
    /** Those of them that may live, where the majority of etcd hangs on each of the others while it restarts. */
    needed: string[];
}

/** Pure. A machine that answers and is no member is lost by its own word; of one that is silent only the user knows it. */
export function nodesAway({ clusterId, masters, looked, givenUp }: Question): Away {
    const isThere = ({ state }: Looked) => state?.member === clusterId;
    const names = looked.filter(each => !isThere(each)).map(({ node }) => node);
    const silent = looked.filter(({ unreachable }) => unreachable !== undefined).map(({ node }) => node);
    const there = looked.filter(isThere);
    const members = new Set(there.flatMap(({ state }) => state!.members));
    const living = there.filter(({ node }) => members.has(node)).length;
    const holds = living - 1 > members.size / 2;
    const gone = [...new Set([...names, ...givenUp.filter(each => !there.some(({ node }) => node === each))])];
    const urls = masters.filter(({ name }) => gone.includes(name)).map(({ address }) => peerUrlOf(address));
    return {
        masters: names,
        members: [...gone, ...urls],
        needed: holds ? [] : silent.filter(name => members.has(name) && !givenUp.includes(name)),
    };
}

/** Before anything changes: etcd would have no majority while one of the others restarts, and the silent ones may only be slow. */
export function whyNotWithout({ needed }: Away, clusterId: string): NfvError {
    const names = needed.join(", ");
    return new NfvError({
        code: "QUORUM_AT_RISK",
        step: "rotate the authorities",
        cause: `${names} did not answer, and without it etcd has no majority while another control-plane node restarts its own; nothing was changed in this run`,
        hint:
            `Start ${names}, then run pulumi up again. Only what is lost for ever is given up by name: ` +
            `NFV_GIVE_UP=${needed.map(name => `${clusterId}/${name}`).join(",")} pulumi up ends the rotation without it; for some seconds at a time etcd takes no writes then, ` +
            "and pods go on. Heal it in a later run.",
    });
}
