import type { Problem } from "../requirements";
import { suggestion } from "../suggest";
import { allVolumes, type Check, known } from "./situation";

export const volumeTypesExist: Check = ({ needs, facts: { volumeTypes } }) =>
    allVolumes(needs).flatMap(({ volume: { type } }): Problem[] => {
        if (!known(type) || volumeTypes === undefined || volumeTypes.includes(type.name)) return [];
        const message = `there is no volume type "${type.name}"`;
        return [{ id: "volume-type-unknown", path: type.path, message, hint: suggestion(type.name, volumeTypes) }];
    });

export const volumesAreNotTooLarge: Check = ({ needs, facts }) => {
    const largest = facts.quota?.volume?.["per_volume_gigabytes"]?.limit ?? -1;
    return allVolumes(needs)
        .filter(({ volume }) => largest >= 0 && known(volume.sizeGiB) && volume.sizeGiB > largest)
        .map(({ volume }) => ({
            id: "volume-too-large",
            path: volume.path,
            message: `a volume of ${volume.sizeGiB} GiB is wanted; the quota allows ${largest} GiB each`,
            hint: "Ask for a larger quota, or make it smaller.",
        }));
};
