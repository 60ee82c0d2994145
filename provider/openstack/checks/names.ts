import type { Server } from "../nova";
import { clusterKey, type Problem, pulumiStackKey } from "../requirements";
import { type Check, isOurStack, isOurs } from "./situation";

const hint = (what: string) =>
    `Choose another cluster name, or remove it: openstack ${what} delete … . Was it made by a program whose state is lost?`;

export const serverNamesAreFree: Check = situation =>
    situation.needs.servers.flatMap(({ name }): Problem[] => {
        const foreign = situation.facts.servers?.filter(server => server.name === name && !isOurs(situation, server));
        return (foreign ?? []).map(server => ({
            id: "server-name-taken",
            path: "name",
            message: `a server "${name}" exists already and is ${whose(server)} (${server.id}, ${server.status})`,
            hint: hint("server"),
        }));
    });

/**
 * Servers of ours are not checked here: if one is not in the state, its creation notices that (see orphan-servers.ts).
 */
function whose({ metadata }: Server): string {
    const [cluster, program] = [metadata[clusterKey], metadata[pulumiStackKey]];
    if (cluster === undefined || program === undefined) return "not this cluster's";
    return `that of the cluster "${cluster}" of the Pulumi program ${program}, not this cluster's`;
}

export const stackNameIsFree: Check = ({ needs: { stack: wanted }, facts }) => {
    if (wanted === undefined || facts.stack === undefined || isOurStack(facts)) return [];
    const { id, stack_status } = facts.stack;
    const message = `a stack "${wanted.name}" exists already and is not this cluster's (${id}, ${stack_status})`;
    return [{ id: "stack-name-taken", path: wanted.path, message, hint: hint("stack") }];
};

/** Key pairs have no owner mark. One that exists at the first run cannot be ours. */
export const keyPairNamesAreFree: Check = ({ needs, facts }) =>
    (needs.keyPairsMade ?? [])
        .filter(name => facts.owners.length === 1 && facts.keyPairs?.includes(name) && !isOurStack(facts))
        .map(name => ({
            id: "key-pair-name-taken",
            path: "name",
            message: `a key pair "${name}" exists already`,
            hint: hint("keypair"),
        }));
