import { sameUrn } from "../contract/run-facts";
import type { Context } from "../contract/types";
import { at, same } from "../contract/values";
import type { MachineState } from "../machine/machine";
import { type MachineType, machineInProgram } from "../machine/stored-machine";

interface Deleted extends Pick<MachineState, "done"> {
    resourceUrn?: string;
    spec: { clusterId: string; name: string };
}

/**
 * Whether another resource of this run's program has this machine: the same node of the same cluster, at the same address, on the same server. Then
 * only the resource's name has changed, without an alias, and this deletion must touch nothing: it would take out what the program has.
 */
export function isHeldElsewhere(type: MachineType, state: Deleted, context: Context): boolean {
    const given = machineInProgram(context, type, state);
    const urn = given?.["resourceUrn"];
    if (typeof urn !== "string" || state.resourceUrn === undefined || sameUrn(urn, state.resourceUrn)) return false;
    const isSame = (path: string) => same(at(given, path), at(state, path));
    if (!["spec.address", "spec.role", "serverId"].every(isSame)) return false;
    context.warn(`${state.spec.name}: ${urn.split("::").at(-1)} has this machine now: nothing was changed on it`);
    return true;
}
