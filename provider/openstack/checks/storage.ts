import type { Problem } from "../requirements";
import { type Check, isOurs } from "./situation";

/** What the new back end makes is there before what the former one made is deleted, and a volume cannot be at two servers. */
export const storageStays: Check = situation => {
    const { needs, facts } = situation;
    if (facts.kept === undefined) return [];
    return needs.servers
        .filter(
            ({ isStorage, name }) =>
                isStorage && facts.servers?.some(each => each.name === name && isOurs(situation, each)),
        )
        .map(
            ({ name }): Problem => ({
                id: "storage-moves",
                path: "storage.server",
                message: `the storage server "${name}" of the former back end has the volumes, and two servers cannot have them at once`,
                hint:
                    `Leave infrastructure.${needs.backEnd === "heat" ? "nova" : "heat"} as it was. Or run pulumi destroy, which keeps the volumes, ` +
                    "and make the cluster with volumeId and owner of each volume.",
            }),
        );
};
