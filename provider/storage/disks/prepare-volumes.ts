import { errorsFor } from "../../shell/exit-codes";
import { script } from "../../shell/script-file";
import { step } from "../../steps/step";
import { storageConstants } from "../paths";
import { inOrder, ownerOf, type StorageSpec } from "../spec";
import { volumeLines } from "./volume-lines";

const { VOLUMES_FOLDER } = storageConstants;

/**
 * Volumes are made on disks that are proven empty, and mounted. `disk-verdict.ts` decides the same before the first step, with better words;
 * this script looks again on the machine, right before mkfs.
 */
export const prepareVolumes = step<StorageSpec>({ id: "storage.volumes", title: "prepare the volumes" })(spec => ({
    revision: 1,
    env: {
        VOLUMES: volumeLines(spec),
        OWNERS: inOrder(spec.volumes)
            .map(([name, volume]) => `${name} ${ownerOf(spec, volume)}`)
            .join("\n"),
        MINIMUM_BYTES: inOrder(spec.volumes)
            .flatMap(([name, { sizeGiB }]) => (sizeGiB === undefined ? [] : [`${name} ${sizeGiB * 2 ** 30}`]))
            .join("\n"),
        RECREATE: spec.recreate.join("\n"),
    },
    run: script("storage/disks/prepare-volumes.sh", storageConstants),
    observe: { script: script("storage/disks/observe-volumes.sh", { VOLUMES_FOLDER }) },
    timeoutSeconds: 1800,
    errors: errorsFor("FOREIGN_VOLUME", "VOLUME_LOST"),
}));
