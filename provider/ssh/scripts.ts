import { script } from "../shell/script-file";

/**
 * The shell side of file transfer. Plain commands by exec, because SFTP cannot use sudo. Each runs as `sh -c SCRIPT
 * NAME ARGUMENTS…`. The names are a protocol that the fake fleet (pulumi-nfv/testing) answers, too.
 */
export interface RemoteScript {
    name: string;
    text: string;
}

/** Exit codes with a meaning. They differ from those of shell/exit-codes.ts. */
export const transferExitCodes = { noSuchFile: 94, checksumDiffers: 95, incomplete: 96 } as const;

/**
 * PATH MODE OWNER SIZE, content on standard input. The size is checked because a broken connection looks like an early
 * end of input.
 */
export const writeFileScript: RemoteScript = {
    name: "nfv-write-file",
    text: script("ssh/write-file.sh", { INCOMPLETE: transferExitCodes.incomplete }),
};

/** PATH PART MODE OWNER SIZE SHA256: prints "complete", or how many bytes an earlier attempt left in PART. */
export const uploadBeginScript: RemoteScript = {
    name: "nfv-upload-begin",
    text: script("ssh/upload-begin.sh"),
};

/** PART OFFSET, the rest of the file on standard input. */
export const uploadAppendScript: RemoteScript = {
    name: "nfv-upload-append",
    text: script("ssh/upload-append.sh"),
};

/** PATH PART SIZE SHA256: renames a complete file to its name. A part with a wrong checksum is deleted. */
export const uploadFinishScript: RemoteScript = {
    name: "nfv-upload-finish",
    text: script("ssh/upload-finish.sh", {
        INCOMPLETE: transferExitCodes.incomplete,
        CHECKSUM_DIFFERS: transferExitCodes.checksumDiffers,
    }),
};

/** PATH: content on standard output. */
export const readFileScript: RemoteScript = {
    name: "nfv-read-file",
    text: script("ssh/read-file.sh", { NO_SUCH_FILE: transferExitCodes.noSuchFile }),
};

export function argvOf({ name, text }: RemoteScript, ...parameters: string[]): string[] {
    return ["sh", "-c", text, name, ...parameters];
}
