import type { CloudInventory } from "../inventory";
import type { Problem } from "../requirements";
import { type Check, serverOf } from "./situation";

/** The user of the first run, with name and id, if it is another one than now; otherwise, or if unknown, undefined. */
function otherMaker({ user, maker, kept }: CloudInventory): string | undefined {
    // After a change of the back end, the user of this run creates everything.
    if (user === undefined || maker === undefined || user.id === maker.id || kept !== undefined) return undefined;
    return `${maker.name} (${maker.id})`;
}

/**
 * Key pairs belong to users. Nobody can create servers with another user's key pair, and Heat validates all servers at
 * each change of its stack.
 */
export const keyPairIsThisUsers: Check = situation => {
    const { needs, facts } = situation;
    const maker = otherMaker(facts);
    if (maker === undefined || facts.keyPairs === undefined) return [];
    const makesServers = needs.servers.some(server => serverOf(situation, server) === undefined);
    return (needs.keyPairsMade ?? [])
        .filter(name => !facts.keyPairs!.includes(name))
        .map(
            (name): Problem => ({
                id: "key-pair-of-other-user",
                path: `infrastructure.${needs.backEnd}`,
                message: `the key pair "${name}" belongs to the user ${maker}, who made this cluster; you are ${facts.user!.name} (${facts.user!.id}) and have none of this name, so no server can be made`,
                hint: `Run it as ${maker}. Or copy the key pair: that user runs openstack keypair show --public-key ${name} > key.pub, you run openstack keypair create --public-key key.pub ${name}.`,
                ...(!makesServers && { severity: "warning" as const }),
            }),
        );
};

/** Application credentials belong to users, too, and are deleted with them. */
export const credentialIsThisUsers: Check = ({ needs, facts }) => {
    const maker = otherMaker(facts);
    if (maker === undefined || !needs.credentialMade) return [];
    return [
        {
            id: "credential-of-other-user",
            severity: "warning",
            path: "cloudProvider.credentials",
            message: `the cluster's application credential belongs to the user ${maker}: it ends when that user leaves the project, and only that user's pulumi destroy deletes it`,
            hint: "Give cloudProvider.credentials of a user that stays, or run pulumi up --refresh, which makes one of yours; the former one stays until its user deletes it.",
        },
    ];
};
