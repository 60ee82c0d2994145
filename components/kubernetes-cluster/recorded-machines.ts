import { typeToken } from "../../provider/adapters/dynamic";
import { ownState, type StateOutputs } from "../../provider/adapters/own-state";

/** The machines that the state has: "core-1a2b3c4d/m1". Undefined if it has nothing, or could not be read. */
export async function recordedMachines(): Promise<string[] | undefined> {
    return machinesIn(await ownState());
}

/**
 * By the spec, because the resource's name begins with the cluster's former name after a renaming by alias. Undefined if a
 * machine's spec cannot be read: then any may be recorded.
 */
export function machinesIn(state: StateOutputs): string[] | undefined {
    if (Object.keys(state).length === 0) return undefined;
    const hosts = Object.entries(state).filter(([urn]) => urn.split("::")[2]?.endsWith(typeToken("Host")));
    const names = hosts.map(([, resource]) => wholeNameIn(resource?.outputs?.["spec"]));
    return names.every(name => name !== undefined) ? names : undefined;
}

/** A spec is stored as JSON; see provider/machine/stored-machine.ts. */
function wholeNameIn(spec: unknown): string | undefined {
    try {
        const { clusterId, name } = (typeof spec === "string" ? JSON.parse(spec) : spec) as Record<string, unknown>;
        return [clusterId, name].every(each => typeof each === "string") ? `${clusterId}/${name}` : undefined;
    } catch {
        return undefined;
    }
}
