import { typeToken } from "../../provider/dynamic";
import { ownState } from "../../provider/own-state";

/** Names of the cluster's machines that the state has. Undefined if it has nothing, or could not be read. */
export async function recordedMachines(cluster: string): Promise<string[] | undefined> {
    return machinesIn(Object.keys(await ownState()), cluster);
}

/** Pure. A machine's name may begin with the cluster's: see resourceName. */
export function machinesIn(urns: readonly string[], cluster: string): string[] | undefined {
    if (urns.length === 0) return undefined;
    return urns
        .map(urn => urn.split("::"))
        .filter(([, , type = ""]) => type.endsWith(typeToken("Host")))
        .map(parts => parts.slice(3).join("::"))
        .flatMap(name => (name.startsWith(`${cluster}-`) ? [name, name.slice(cluster.length + 1)] : [name]));
}
