import { errorsFor } from "../shell/exit-codes";
import { script } from "../shell/script-file";
import { step } from "../steps/step";
import { exportLines } from "./export-lines";
import { exportConstants } from "./paths";
import type { StorageSpec } from "./spec";

/** Exports folders and proves that they are served: a mount from the server itself, because `exportfs` succeeds without a server, too. */
export const serveExports = step<StorageSpec>({ id: "storage.exports", title: "serve the exports" })(spec => ({
    revision: 1,
    env: { EXPORTS: exportLines(spec) },
    run: script("storage/serve-exports.sh", exportConstants),
    observe: { script: script("storage/observe-exports.sh", exportConstants) },
    timeoutSeconds: 300,
    errors: errorsFor("NOT_SERVED"),
}));
