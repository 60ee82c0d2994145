import type { NodeSpec } from "../common/model";
import type { DriftInput, DriftState } from "../machine/drift";
import type { MachineState, Peer } from "../machine/machine";
import { loginOf } from "../machine/stored-machine";
import { type HealInput, type HealState, keptHeal } from "../operation/heals";
import type { MachineInputs } from "./machine-inputs";
import type { CertificatesState } from "./node-certificates";
import type { ReplacementInput } from "./upgrade/server-replacement";
import type { UpgradeTurnInput } from "./upgrade/upgrade-turn";

export interface NodeInputs extends MachineInputs, HealInput, DriftInput, UpgradeTurnInput, ReplacementInput {
    spec: NodeSpec;
    /** All wanted control-plane nodes, including this one if it is one. */
    controlPlane: Peer[];
    /** Id of the machine's Host. Before the machine is prepared again, its node must leave the cluster. */
    hostId?: string;
}

/** What is stored of a Node: all that its deletion, a refresh and the next diff need. */
export interface NodeState
    extends Omit<
            NodeInputs,
            "spec" | "steps" | "fingerprintKey" | "pool" | "upgradeTurn" | "ontoNew" | "replacement" | keyof HealInput
        >,
        HealState,
        CertificatesState,
        MachineState,
        DriftState {
    spec: KeptSpec;
    /** See loginOf. */
    login?: string;
    /** The program held it back at its version, so no preview has said yet that it moves. */
    held?: boolean;
}

type KeptSpec = Pick<NodeSpec, "clusterId" | "name" | "role" | "address" | "kubernetesVersion" | "drain"> & {
    identity: { caCertHash: string };
    /** See LeavingNode. */
    nodeIp?: string;
};

/** What of the inputs is stored. */
export function keep(inputs: NodeInputs, olds: NodeState | undefined): Omit<NodeState, "done"> {
    const {
        steps: _,
        fingerprintKey: __,
        pool: ___,
        upgradeTurn: ____,
        ontoNew: _____,
        replacement: ______,
        ...stored
    } = inputs;
    const { spec, heal, healWithdrawn, ...others } = stored;
    const { clusterId, name, role, address, kubernetesVersion, drain, identity } = spec;
    const { caCertHash } = identity;
    const nodeIp = spec.extraArgs["kubelet"]?.["node-ip"];
    const kept = {
        ...{ clusterId, name, role, address, kubernetesVersion, drain, identity: { caCertHash } },
        ...(nodeIp !== undefined && { nodeIp }),
    };
    const { certificates } = olds ?? {};
    const seen = certificates === undefined ? {} : { certificates };
    return { ...others, ...keptHeal(olds, { heal, healWithdrawn }), ...seen, login: loginOf(inputs), spec: kept };
}
