import { NfvError } from "../common/errors";
import type { NodeSpec } from "../common/model";
import { runFacts } from "../contract/run-facts";
import type { Context } from "../contract/types";
import { programMasters } from "../machine/program-masters";
import { machineInProgram } from "../machine/stored-machine";

/**
 * A Node leaves only in a run that knows which nodes stay. These do not:
 * - `pulumi up --target` of a Host alone: before the engine replaces the Host, it deletes the Node, which depends on it. To make the Node again, it
 *   has only what is stored, which is not enough to join. Such a run has checked the Host, and not Masters, which all Hosts depend on.
 * - `pulumi destroy --target` of a master's Host with `--target-dependents`, or `--exclude`: all Nodes depend on it, so all nodes would leave. When
 *   a whole cluster goes, the engine deletes no Node (`deletedWith`), so a destroy that deletes one is never whole.
 *
 * The check of a Node comes after this deletion in every run, and if the server itself is replaced (Nova), so do those of Host and Masters. Nor does
 * OperationEnd tell: a run that was refused has deleted it.
 * When a whole cluster goes, Pulumi deletes no Node: so this cluster stays. @throws INVALID_INPUT
 */
export function beginLeave(spec: Pick<NodeSpec, "clusterId" | "name">, context: Context): void {
    const { clusterId, name } = spec;
    const { program, did } = runFacts(context);
    const isReplaced = machineInProgram(context, "Host", { spec }) !== undefined;
    if (programMasters(context, clusterId) !== undefined || (!isReplaced && program.isKnown)) {
        did.keeps.add(clusterId);
        return;
    }
    throw new NfvError({
        code: "INVALID_INPUT",
        node: name,
        step: "leave",
        ...(isReplaced ? replaced(spec) : deleted(spec, [...did.deleted])),
    });
}

const replaced = ({ name }: Pick<NodeSpec, "name">) => ({
    cause: `the program has ${name}, and its Host is to be replaced in a run that leaves out other resources of the cluster (--target): ${name} would leave the cluster and not come back; nothing was touched`,
    hint: "Run pulumi up without --target. To replace this machine only: pulumi up --replace with the URN of its Host.",
});

const deleted = ({ clusterId, name }: Pick<NodeSpec, "clusterId" | "name">, gone: readonly string[]) => ({
    cause:
        `this run deletes only a part of ${clusterId} (--target, --exclude), and leaves out what knows which nodes are to stay: others would leave, too; ${name} was not touched` +
        (gone.length === 0 ? "" : `\nalready deleted by this run, as it depends on the machine: ${gone.join(", ")}`),
    hint: "To take nodes out, or to change them: change the program, and run pulumi up without --target and --exclude. To end the whole cluster: pulumi destroy. What this run has deleted so far, pulumi up makes again, network functions without their data.",
});
