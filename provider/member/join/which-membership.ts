import { isGivenUp } from "../../contract/give-up";
import type { Context } from "../../contract/types";
import type { MachineStatus } from "../../kubeadm/machine-status";
import { decideMembership, type Mode } from "../../kubeadm/membership";
import { named } from "../../machine/machine";
import { isReadyMember, machineStatusOrNone, type PeerStatus, statusOfPeers } from "../../machine/machine-statuses";
import { programMasters } from "../../machine/program-masters";
import type { Connection } from "../../ssh";
import type { NodeInputs } from "../node-state";
import { refuseIfEndpointLives } from "./living-endpoint";

/** What the machine and the other control-plane nodes say, and what follows: init, join, or neither. */
export interface Decided {
    self: MachineStatus;
    mode: Mode;
    peers: PeerStatus[];
}

/**
 * Asks the machine and all other control-plane nodes in parallel. If the machine is a member, the others do not matter,
 * so a dead one costs no time.
 */
export async function whichMembership(
    { spec, controlPlane }: NodeInputs,
    connection: Connection,
    context: Context,
): Promise<Decided> {
    const { clusterId, name, role, address } = spec;
    context.report("look at the machine and the masters");
    const others = statusOfPeers(
        context,
        controlPlane.filter(peer => peer.name !== name),
    );
    const self = await named(name, () => machineStatusOrNone(name, connection, address, context));
    const isMember = self.memberOf === clusterId;
    const peers = isMember ? [] : await others;
    const joins = isMember || peers.some(peer => isReadyMember(peer, clusterId));
    const program = programMasters(context, clusterId);
    const asked = joins || role !== "controlPlane" ? [] : await statusOfPeers(context, program?.former ?? []);
    // Who was given up may be silent. One that answers and lives counts.
    const formers = asked.filter(peer => peer.facts !== undefined || !isGivenUp(clusterId, peer.name));
    const { caCertHash } = spec.identity;
    const question = { clusterId, name, role, caCertHash, self, peers, formers, formersUnknown: program === undefined };
    const mode = decideMembership(question);
    // An init that was interrupted here answers at the endpoint itself.
    if (mode === "init" && self.initStarted !== clusterId) {
        await named(name, () => refuseIfEndpointLives(spec, connection));
    }
    return { self, mode, peers };
}
