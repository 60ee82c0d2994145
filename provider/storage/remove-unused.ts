import { script } from "../shell/script-file";
import { step } from "../steps/step";
import { servedConstants } from "./paths";
import { inOrder, mountPathOf, type StorageSpec } from "./spec";

/** After the exports were changed: what is served no more is unmounted. Its data stays on its volume. */
export const removeUnused = step<StorageSpec>({ id: "storage.unused", title: "unmount what is no longer served" })(
    ({ volumes, exports }) => ({
        revision: 1,
        env: {
            MOUNTS: [
                ...inOrder(volumes).map(([name]) => mountPathOf(name)),
                ...inOrder(exports).map(([path]) => path),
            ].join("\n"),
        },
        run: script("storage/remove-unused.sh", servedConstants),
        observe: { unseen: "the volumes and folders that are wanted are seen by their own steps" },
        timeoutSeconds: 120,
    }),
);
