export { quote } from "../shell/quote";
export { Connections, placeOf } from "./connections";
export { parseHostKey } from "./host-keys";
export type { CommandResult, Connection, RunOptions, SshTarget } from "./types";
