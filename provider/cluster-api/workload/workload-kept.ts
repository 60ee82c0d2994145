import { NfvError } from "../../common/errors";
import { same } from "../../contract/values";

/** What the machines of a workload cluster keep from the day on which they are made. */
export interface KeptByMachines {
    network: Record<"podCidr" | "serviceCidr" | "dnsDomain", string | string[]>;
    /** Whose pod network it has: "bridge", "flannel", "your own"; undefined: not known. */
    cni?: string;
    /** The login to the cloud to which new machines refer, if the program makes it. A machine needs the same one when it is removed. */
    login?: string;
    /** All logins that the program makes. */
    logins: string[];
}

/** The changes that would break machines that exist; undefined: none. Pure. */
export function breaksMachines(
    cluster: string,
    before: KeptByMachines | undefined,
    after: KeptByMachines,
): NfvError | undefined {
    if (before === undefined) return undefined;
    const networks = (["podCidr", "serviceCidr", "dnsDomain"] as const)
        .filter(name => !same(before.network[name], after.network[name]))
        .map(name => `network.${name} cannot change from ${before.network[name]} to ${after.network[name]}`);
    const login =
        before.login === undefined || after.logins.includes(before.login)
            ? []
            : [`the login "${before.login}" cannot go: its servers refer to it, and could not be removed without it`];
    // Objects of the former pod network stay in the cluster: nodes would have two.
    const cni =
        before.cni === undefined || after.cni === undefined || before.cni === after.cni
            ? []
            : [`network.cni cannot change from ${before.cni} to ${after.cni}`];
    const problems = [...networks, ...cni, ...login];
    if (problems.length === 0) return undefined;
    return new NfvError({
        code: "INVALID_INPUT",
        node: `workload cluster "${cluster}"`,
        cause: `it has machines, so ${problems.join("; ")}`,
        hint: "Set it back. The content of a login may change. For another network make another cluster, and move the workload.",
    });
}
