import { NfvError } from "../errors";
import type { NodeSpec } from "../model";
import { hasEndBegun, programMasters } from "./program-masters";
import { GivenInputs } from "./stored-machine";
import type { Context } from "./types";

/**
 * `pulumi up --target` of a Host alone: before the engine replaces the Host, it deletes the Node, which depends on it. To make the Node again,
 * it has only what is stored, which is not enough to join: the cluster would have lost the node.
 *
 * The check of a Node comes after this deletion in every run, so it tells nothing. All Hosts depend on Masters: a run that has checked a Host, and
 * has not checked Masters, leaves resources out.
 * @throws INVALID_INPUT
 */
export function refuseIfLeftOut(spec: Pick<NodeSpec, "clusterId" | "name">, context: Context): void {
    const { clusterId, name } = spec;
    if (programMasters(context, clusterId) !== undefined) return;
    if (!context.session.part(GivenInputs).has("Host", { spec })) {
        refuseIfDependent(spec, context);
        return;
    }
    throw new NfvError({
        code: "INVALID_INPUT",
        node: name,
        step: "leave",
        cause: `the program has ${name}, and its Host is to be replaced in a run that leaves out other resources of the cluster (--target): ${name} would leave the cluster and not come back; nothing was touched`,
        hint: "Run pulumi up without --target. To replace this machine only: pulumi up --replace with the URN of its Host.",
    });
}

/**
 * `pulumi destroy --target` of one master's Host with `--target-dependents`: the Nodes of all machines depend on it, so all nodes would leave. When
 * a whole cluster goes, the engine deletes no Node (`deletedWith`), and OperationEnd first.
 */
function refuseIfDependent({ clusterId, name }: Pick<NodeSpec, "clusterId" | "name">, context: Context): void {
    if (!hasEndBegun(context, clusterId)) return;
    throw new NfvError({
        code: "INVALID_INPUT",
        node: name,
        step: "leave",
        cause: `this run deletes only a part of ${clusterId} (--target, --exclude), and without the program it is not known which nodes are to stay: the other nodes would leave, too; ${name} was not touched`,
        hint: `To take nodes out: take them out of the program and run pulumi up. To end the whole cluster: pulumi destroy. What this run has deleted so far, pulumi up makes again.`,
    });
}
