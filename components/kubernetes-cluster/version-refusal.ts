import { typeToken } from "../../provider/adapters/dynamic";
import { outputsOf, ownState, type StateOutputs, stateProblem } from "../../provider/adapters/own-state";
import { NfvError } from "../../provider/common/errors";
import { versionRefusal } from "../../provider/kubernetes/support";
import { joinStep } from "../../provider/member/join/join-cluster";
import { refusalOf } from "../../provider/member/upgrade/versions";
import type { KubernetesClusterArgs } from "../args/args";

type Wanted = Pick<KubernetesClusterArgs, "kubernetes" | "etcdRestore">;

/**
 * Why the cluster of the state cannot have the program's version, for the `problems` of the first resources: they refuse it before a login to a cloud or a
 * machine is tried. Undefined: it can, or the start of the operation and the Nodes judge it.
 */
export async function refusedVersion(wanted: Wanted, clusterName: string): Promise<string | undefined> {
    const [state, unread] = await Promise.all([ownState(), stateProblem()]);
    return unread === undefined ? refusedIn(state, wanted, clusterName, new Date()) : undefined;
}

/** Pure. */
export function refusedIn(
    state: StateOutputs,
    { kubernetes: { version: to, allowUnsupportedVersion: allowed }, etcdRestore }: Wanted,
    clusterName: string,
    today: Date,
): string | undefined {
    const starts = outputsOf(state, typeToken("OperationStart")).map(({ spec }) => objectIn(spec));
    if (typeof to !== "string" || starts.includes(undefined)) return undefined;
    // A storage server has a start, too.
    const clusters = starts.filter(each => each && "kubernetesVersion" in each);
    const [start, other] = clusters.filter(each => each?.["clusterName"] === clusterName);
    // A cluster that gets another name is not new: that its name stays is said later.
    if (other !== undefined || (start === undefined && clusters.length > 0)) return undefined;
    const from = start?.["kubernetesVersion"];
    if (start !== undefined && typeof from !== "string") return undefined;
    const unsupported = versionRefusal(
        { to, allowed, place: "kubernetes.", ...(typeof from === "string" && { from }) },
        today,
    );
    if (unsupported !== undefined) return unsupported;
    // A restore may bring an earlier version back, on new machines.
    if (start === undefined || etcdRestore !== undefined) return undefined;
    const refusals = memberVersions(state, String(start["clusterId"])).map(version => refusalOf(version, to));
    const [first] = refusals;
    // An upgrade that is not finished may be taken back where no control-plane node has moved.
    if (first === undefined || refusals.includes(undefined)) return undefined;
    return new NfvError({ code: "INVALID_INPUT", ...first }).message;
}

/** Of the control-plane nodes that have joined the cluster. */
function memberVersions(state: StateOutputs, clusterId: string): string[] {
    return outputsOf(state, typeToken("Node")).flatMap(outputs => {
        const [spec, done] = [objectIn(outputs["spec"]), objectIn(outputs["done"])];
        const isMember = spec?.["clusterId"] === clusterId && done?.[joinStep.id] !== undefined;
        const version = spec?.["kubernetesVersion"];
        return isMember && spec?.["role"] === "controlPlane" && typeof version === "string" ? [version] : [];
    });
}

/** Specs and finished steps are stored as JSON; see provider/machine/stored-machine.ts. Undefined: this is no object. */
export function objectIn(value: unknown): Record<string, unknown> | undefined {
    try {
        const read: unknown = typeof value === "string" ? JSON.parse(value) : value;
        return typeof read === "object" && read !== null ? (read as Record<string, unknown>) : undefined;
    } catch {
        return undefined;
    }
}
