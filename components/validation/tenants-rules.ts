import { isIP } from "node:net";
import { cidrProblem, overlap, parseCidr, usualNetwork } from "../../provider/common/cidr";
import { defaults, type PlainArgs } from "../common/plain-args";
import type { Problem } from "./rule";
import { dnsName } from "./rule";

/** The parts of a cluster's arguments that the rules read. */
type Checked = Pick<PlainArgs, "tenants" | "storage"> & { network?: { podCidr?: string; serviceCidr?: string } };

/** What is wrong with that which tenants may use. */
export function tenantsProblems(args: Checked): Problem[] {
    const { externalIps = [], nfsServers = [] } = args.tenants ?? {};
    return [
        ...externalIps.flatMap((given, i) => at(`tenants.externalIps.${i}`, externalProblem(given, args))),
        ...nfsServers.flatMap((given, i) => at(`tenants.nfsServers.${i}`, serverProblem(given, args))),
    ];
}

const at = (place: string, problem: string | undefined): Problem[] => (problem === undefined ? [] : [[place, problem]]);

function externalProblem(given: string, { network }: Checked): string | undefined {
    const problem = isIP(given) === 0 ? cidrProblem(given, "192.0.2.0/28") : undefined;
    if (problem !== undefined) return problem;
    const net = parseCidr(usualNetwork(given))!;
    const { podCidr = defaults.podCidr, serviceCidr = defaults.serviceCidr } = network ?? {};
    const taken = Object.entries({ podCidr, serviceCidr }).find(([, text]) => {
        const other = parseCidr(text);
        return other !== undefined && overlap(net, other);
    });
    return taken && `${given} overlaps network.${taken[0]} ${taken[1]}: name the addresses that come from outside`;
}

function serverProblem(given: string, { storage }: Checked): string | undefined {
    if (given === storage?.server?.address)
        return `${given} is the storage server: pods would mount each other's exports`;
    const isName = dnsName.test(given) && !/^[0-9a-fx.]*$/i.test(given);
    return isName || isIP(given) !== 0 ? undefined : `"${given}" is no DNS name and no IP address in its usual form`;
}
