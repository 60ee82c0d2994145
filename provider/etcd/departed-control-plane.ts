import type { NfvError } from "../common/errors";
import { isGivenUp } from "../contract/give-up";
import type { Context } from "../contract/types";
import { etcdData } from "../kubeadm/paths";
import type { Peer } from "../machine/machine";
import { type PeerStatus, statusOfPeers } from "../machine/machine-statuses";
import { programMasters } from "../machine/program-masters";
import { whyNotOntoNew } from "./new-machines";

/** Asks all control-plane nodes of the program and of former ones whether a snapshot may be restored onto new machines. Changes nothing. */
export async function whyNotNew(
    clusterId: string,
    { word, begun }: { word: string; begun: boolean },
    context: Context,
): Promise<NfvError | undefined> {
    context.report(`look whether the former control-plane nodes of ${clusterId} are gone`);
    const { wanted = [], former = [] } = programMasters(context, clusterId) ?? {};
    const see = async (peers: readonly Peer[]) => {
        const all = await statusOfPeers(context, peers);
        return all.map((status, i) => asSeen(status, peers[i]!));
    };
    const [ofProgram, formers] = await Promise.all([see(wanted), see(former)]);
    const given = (name: string) => isGivenUp(clusterId, name);
    return whyNotOntoNew({ clusterId, word, begun, wanted: ofProgram, formers, isGivenUp: given });
}

function asSeen({ name, facts, reason, closed }: PeerStatus, { connection: { host } }: Peer) {
    if (facts === undefined) {
        const why = closed === undefined ? { silent: reason ?? "no answer" } : { closed };
        return { name, host, isMaster: false, isReady: false, ...why };
    }
    const isMaster = facts.memberOf !== "" || facts.traces.includes(`${etcdData}/member`);
    return { name, host, isMaster, isReady: facts.apiReady };
}
