import type { Context, Observed } from "../contract/types";
import { findings } from "../health/findings";
import type { MachineLook } from "../health/look";
import { cureWords } from "../machine/cure-words";
import { type Cures, healthOf, kubeletStep, tell, withCures } from "../machine/health";
import { observeMachine } from "../machine/journal";
import { foundDrift } from "../machine/machine-drift";
import { joinStep } from "./join/join-cluster";
import { askClusterTogether } from "./known-node";
import { ofMembership } from "./leave/leave-node";
import { type CertificatesState, certificatesIn } from "./node-certificates";
import type { NodeInputs, NodeState } from "./node-state";
import { labelsStep, nodeStepIds } from "./node-steps";
import { certificatesStep } from "./renew-certificates";

/** By cure: the steps that `up` does again. */
const curesOfNode: Cures = {
    "restart kubelet": { steps: new Set([kubeletStep]), todo: cureWords.kubelet.todo },
    uncordon: { steps: new Set([labelsStep]), todo: cureWords.uncordon.todo },
    "renew the certificate": { steps: new Set([certificatesStep]), todo: cureWords.certificate.todo },
    "free etcd's space": { steps: new Set(), todo: cureWords.etcdSpace.todo },
    "join again": { steps: ofMembership, todo: cureWords.membership.todo },
};

/** What a refresh finds of a node, on its machine and in the cluster. */
export async function readNode(
    id: string,
    state: NodeState,
    context: Context,
): Promise<Observed<NodeInputs, NodeState>> {
    const isOurs = (step: string) => nodeStepIds(state.spec.role).includes(step);
    let look: MachineLook | undefined;
    let seen: CertificatesState = {};
    const observed = await observeMachine<NodeInputs, NodeState>(id, state, context, isOurs, shown => {
        const { name } = state.spec;
        look = healthOf(name, shown, context);
        seen = certificatesIn(name, shown.certificates, state, context);
    });
    const { props } = observed;
    if (props === undefined) return observed;
    const node = await askClusterTogether(state, context);
    const joined = props.done[joinStep.id] !== undefined;
    const found = findings({ name: state.spec.name, joined, machine: look?.facts, node });
    tell(state.spec.name, found, context);
    const drifted = foundDrift({ ...props, ...seen }, look, found, curesOfNode, context);
    return { ...observed, props: withCures(drifted, found, curesOfNode) };
}
