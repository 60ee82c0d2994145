import { script } from "./script-file";

/** shell/lib/packages.sh, for scripts that are texts in TypeScript. */
export const installPackages = script("shell/lib/packages.sh");
