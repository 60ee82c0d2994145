import { NfvError } from "../../common/errors";

/** Fields of a workload cluster's objects that CAPO's webhooks keep: "OpenStackCluster site: network" → its value as text; "": not set. */
export type FixedFields = Record<string, string>;

/** Fields that CAPO accepts once, where they were not set. */
const once = ["controlPlaneEndpoint", "managedSecurityGroups"];
/** Fields that may name what they mean by its id instead of its name: newer versions of CAPO accept that. */
const byNameOrId = ["network", "subnets"];

/** The changes that CAPO's webhooks refuse in each case; undefined: none. Pure. */
export function refusedByWebhooks(
    cluster: string,
    before: FixedFields | undefined,
    after: FixedFields | undefined,
): NfvError | undefined {
    const changes = Object.entries(before ?? {})
        .map(([place, from]) => ({ place, from, to: after?.[place] }))
        .filter(({ place, from, to }) => to !== undefined && from !== to && !isAllowed(place, from, to));
    if (changes.length === 0) return undefined;
    const titles = changes.map(
        ({ place, from, to }) => `${place} cannot change from ${from || "none"} to ${to || "none"}`,
    );
    return new NfvError({
        code: "INVALID_INPUT",
        node: `workload cluster "${cluster}"`,
        cause: `${titles.join("; ")}: the OpenStack provider of Cluster API refuses it`,
        hint: "Set it back. A changed OpenStackMachineTemplate needs another name. For anything else make another cluster, and move the workload.",
    });
}

function isAllowed(place: string, from: string, to: string): boolean {
    const field = place.slice(place.lastIndexOf(" ") + 1);
    if (once.includes(field)) return from === "";
    return byNameOrId.includes(field) && from.includes('"filter"') && to.includes('"id"');
}
