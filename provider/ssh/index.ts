export { quote, unquote } from "../shell/quote";
export { Connections, placeOf } from "./connections";
export { describeHostKey, parseHostKey } from "./host-keys";
export type { CommandResult, Connection, FileAttributes, RunOptions, SshTarget, UploadOptions } from "./types";
