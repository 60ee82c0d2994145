import { script } from "./script-file";

/** shell/lib/originals.sh, for scripts that are texts in TypeScript. */
export const restoreOriginal = script("shell/lib/originals.sh");
