import { NfvError } from "../errors";
import type { NodeSpec } from "../model";
import { programMasters } from "./program-masters";
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
    if (!context.session.part(GivenInputs).has("Host", { spec })) return;
    if (programMasters(context, clusterId) !== undefined) return;
    throw new NfvError({
        code: "INVALID_INPUT",
        node: name,
        step: "leave",
        cause: `the program has ${name}, and its Host is to be replaced in a run that leaves out other resources of the cluster (--target): ${name} would leave the cluster and not come back; nothing was touched`,
        hint: "Run pulumi up without --target. To replace this machine only: pulumi up --replace with the URN of its Host.",
    });
}
