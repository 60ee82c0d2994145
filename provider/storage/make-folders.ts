import { errorsFor } from "../shell/exit-codes";
import { script } from "../shell/script-file";
import { step } from "../steps/step";
import { servedConstants } from "./paths";
import { type ExportSpec, inOrder, mountPathOf, type StorageSpec } from "./spec";

/** Clients see a folder of the volume, so neither our mark nor lost+found; a path without its volume is an empty folder that is not exported. */
export const makeFolders = step<StorageSpec>({ id: "storage.folders", title: "make the exported folders" })(
    ({ exports }) => ({
        revision: 1,
        env: {
            FOLDERS: inOrder(exports)
                .map(([path, each]) => [path, folderOf(each), each.uid, each.gid, each.mode].join(" "))
                .join("\n"),
        },
        run: script("storage/make-folders.sh", servedConstants),
        observe: { script: script("storage/observe-folders.sh") },
        timeoutSeconds: 120,
        errors: errorsFor("FOREIGN_VOLUME"),
    }),
);

function folderOf({ volume, folder }: ExportSpec): string {
    return folder === "" ? mountPathOf(volume) : `${mountPathOf(volume)}/${folder}`;
}
