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
    text: `set -eu
dir=$(dirname -- "$1")
(umask 022; mkdir -p -- "$dir")
umask 077
tmp=$(mktemp "$dir/.nfv-XXXXXXXX")
trap 'rm -f -- "$tmp"' EXIT
trap 'exit 129' HUP INT TERM
chown -- "$3" "$tmp"
chmod -- "$2" "$tmp"
cat >"$tmp"
[ "$(wc -c <"$tmp")" -eq "$4" ] || exit ${transferExitCodes.incomplete}
sync -- "$tmp"
mv -fT -- "$tmp" "$1"
sync -- "$dir"
`,
};

/** PATH PART MODE OWNER SIZE SHA256: prints "complete", or how many bytes an earlier attempt left in PART. */
export const uploadBeginScript: RemoteScript = {
    name: "nfv-upload-begin",
    text: `set -eu
if [ -f "$1" ] && [ "$(wc -c <"$1")" -eq "$5" ] && echo "$6  $1" | sha256sum -c --status 2>/dev/null; then
    chown -- "$4" "$1"
    chmod -- "$3" "$1"
    rm -f -- "$2"
    echo complete
    exit 0
fi
(umask 022; mkdir -p -- "$(dirname -- "$1")")
umask 077
[ -f "$2" ] || : >"$2"
chown -- "$4" "$2"
chmod -- "$3" "$2"
wc -c <"$2"
`,
};

/** PART OFFSET, the rest of the file on standard input. */
export const uploadAppendScript: RemoteScript = {
    name: "nfv-upload-append",
    text: `set -eu
truncate -s "$2" -- "$1"
cat >>"$1"
`,
};

/** PATH PART SIZE SHA256: renames a complete file to its name. A part with a wrong checksum is deleted. */
export const uploadFinishScript: RemoteScript = {
    name: "nfv-upload-finish",
    text: `set -eu
[ "$(wc -c <"$2")" -eq "$3" ] || exit ${transferExitCodes.incomplete}
sum=$(sha256sum <"$2")
if [ "\${sum%% *}" != "$4" ]; then
    rm -f -- "$2"
    exit ${transferExitCodes.checksumDiffers}
fi
sync -- "$2"
mv -fT -- "$2" "$1"
sync -- "$(dirname -- "$1")"
`,
};

/** PATH: content on standard output. */
export const readFileScript: RemoteScript = {
    name: "nfv-read-file",
    text: `[ -e "$1" ] || exit ${transferExitCodes.noSuchFile}
exec cat -- "$1"
`,
};

export function argvOf(script: RemoteScript, ...parameters: string[]): string[] {
    return ["sh", "-c", script.text, script.name, ...parameters];
}
