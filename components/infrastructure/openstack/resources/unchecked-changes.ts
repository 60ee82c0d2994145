import * as pulumi from "@pulumi/pulumi";
import type { OperationStart } from "../../../../provider/adapters/dynamic";
import { valueIfKnown } from "../../../../provider/adapters/later";
import { leftOutOfRun } from "../../../../provider/cluster/kept-inputs";
import { NfvError } from "../../../../provider/common/errors";
import { unknownSetting } from "../../../../provider/operation/operation-start-inputs";
import { keyedHashes } from "../../../preview/keyed-hashes";
import type { ServerPlan } from "../plan/server-plan";
import { shapesOf } from "../start-nodes";

/** Inputs that OperationStart's checks have allowed, and gives out. */
export type Checked = Pick<OperationStart, "keptInputs" | "shapes">;

export interface GuardRequest {
    checked: Checked;
    /** `keptInputs` of the program. */
    kept: pulumi.Output<string>;
    fingerprintKey: pulumi.Output<string>;
    plan: ServerPlan;
}

/** Rejects if OperationStart has not checked the inputs of the cluster or of these nodes. */
export type UncheckedGuard = (nodes: readonly string[]) => Promise<void>;

/** Volumes may come and go, and another volume type is for new volumes. */
const isOfVolume = (key: string) => key.startsWith("volumes.");

/** Node → hash of the properties of its server that cannot be changed. */
export function shapeHashes(plan: ServerPlan, key: pulumi.Output<string>): pulumi.Output<Record<string, string>> {
    const shapes = Object.entries(shapesOf(plan)).map(([node, shape]) => [
        node,
        Object.fromEntries(Object.entries(shape).filter(([name]) => !isOfVolume(name))),
    ]);
    return keyedHashes(Object.fromEntries(shapes), key);
}

/**
 * With `pulumi up --target` or `--exclude`, the engine does not call the check of an OperationStart that is left out; it
 * gives out what it has checked last. A hook would be too late: the engine deletes a server before the hook of its
 * successor runs.
 */
export function uncheckedGuard({ checked, kept, fingerprintKey, plan }: GuardRequest): UncheckedGuard {
    const ofCluster = valueIfKnown(pulumi.all([checked.keptInputs, kept])).then(
        found => found && leftOutOfRun(...found),
    );
    const shapes = shapeHashes(plan, fingerprintKey);
    const changed = valueIfKnown(pulumi.all([checked.shapes, shapes])).then(found => found && changedNodes(...found));
    // The SDK shows an error object once, however many resources fail by it.
    const errors: Record<string, NfvError> = {};
    return async nodes => {
        const cause = (await ofCluster) ?? nodesLeftOut((await changed)?.filter(node => nodes.includes(node)) ?? []);
        if (cause === undefined) return;
        errors[cause] ??= refusal(cause);
        throw errors[cause];
    };
}

function refusal(cause: string): NfvError {
    const hint = "Or add the cluster's OperationStart to --target.";
    // The SDK then shows the message without a stack trace.
    return Object.assign(new NfvError({ code: "INVALID_INPUT", cause, hint }), { __pulumiRunError: true });
}

/** A node without a hash was not there yet. With Heat nothing is `seen` here: the stack makes the servers. */
function changedNodes(seen: Record<string, string> = {}, wanted: Record<string, string>): string[] {
    const isOpen = (hash: string | undefined) => hash === undefined || hash === unknownSetting;
    return Object.keys(wanted).filter(
        node => !isOpen(seen[node]) && !isOpen(wanted[node]) && seen[node] !== wanted[node],
    );
}

function nodesLeftOut(nodes: readonly string[]): string | undefined {
    if (nodes.length === 0) return undefined;
    return (
        `the server inputs of ${nodes.join(", ")} changed in the program, and --target or --exclude leaves out the resource ` +
        "that checks whether an existing server can follow. Nothing was touched. Run pulumi up without them."
    );
}
