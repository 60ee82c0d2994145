import { script } from "./script-file";

export { adminConfig } from "./folders";

/** First lines of a script that uses kubectl on a control-plane node. */
export const asAdministrator = script("shell/lib/as-administrator.sh");
