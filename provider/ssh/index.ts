export { quote, unquote } from "../shell/quote";
export { Connections, placeOf } from "./connections";
export { anyOf, describeHostKey, keyOfThisRun, parseHostKey, parseHostKeys } from "./host-keys";
export type { CommandResult, Connection, FileAttributes, RunOptions, SshTarget, UploadOptions } from "./types";
