import { givenVolumesFit } from "./checks/given-volumes";
import * as names from "./checks/names";
import * as networks from "./checks/networks";
import * as quota from "./checks/quota";
import * as servers from "./checks/servers";
import * as services from "./checks/services";
import type { Check } from "./checks/situation";
import * as snapshots from "./checks/snapshots";
import * as storage from "./checks/storage";
import * as users from "./checks/users";
import * as volumes from "./checks/volumes";
import type { CloudInventory } from "./inventory";
import type { CloudRequirements, Problem } from "./requirements";

/** What must be true of a cloud before anything is created in it, in the order in which problems are shown. */
export const checks: readonly Check[] = [
    services.servicesExist,
    services.versionsFit,
    servers.flavorsExist,
    servers.flavorsAreEnough,
    servers.imagesExist,
    servers.imagesFit,
    servers.zonesExist,
    servers.keyPairExists,
    networks.networksExist,
    networks.networksAreUsable,
    networks.portsExist,
    networks.securityGroupsExist,
    networks.addressesAreFree,
    networks.addressesSuffice,
    networks.externalNetworksFit,
    networks.floatingIpHasPool,
    networks.floatingPoolHasItsOwnName,
    networks.floatingIpsHaveRoute,
    networks.routersFit,
    networks.subnetsFitRouters,
    networks.cidrsAreApart,
    volumes.volumeTypesExist,
    volumes.volumesAreNotTooLarge,
    givenVolumesFit,
    snapshots.snapshotsFit,
    storage.storageStays,
    quota.floatingIpsAreFree,
    quota.quotaSuffices,
    names.serverNamesAreFree,
    names.stackNameIsFree,
    names.keyPairNamesAreFree,
    users.keyPairIsThisUsers,
    users.credentialIsThisUsers,
];

/** Finds all problems in one pass. A problem that several servers share is listed once. */
export function findProblems(needs: CloudRequirements, facts: CloudInventory): Problem[] {
    const seen = new Set<string>();
    return checks
        .flatMap(check => check({ needs, facts }))
        .filter(({ id, path, message }) => {
            const key = JSON.stringify([id, path, message]);
            return !seen.has(key) && seen.add(key);
        });
}

/** One line per problem: the path in the inputs, what is wrong, and a hint. */
export function problemText(problems: readonly Problem[]): string {
    return problems
        .map(({ path, message, hint }) => `${path}: ${message}${hint === undefined ? "" : `. ${hint}`}`)
        .join("\n");
}
