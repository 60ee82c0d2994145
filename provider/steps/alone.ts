import type { CommandResult } from "../ssh/types";

/*
 * Scripts that reset a machine or remove its node run beside the agent, and continue if the operator's process is
 * killed. So each looks like one of the agent's batches in /run/pulumi-nfv/steps, by the rules for agents of all
 * releases (README.md): `meta` and, while it runs, the lock on `alive`. An agent then reports it as running and starts
 * no batch, and a later run waits for its end. The kernel releases the lock with the process, and a reboot empties
 * /run.
 */

const runFolder = "${NFV_RUN_DIR:-/run/pulumi-nfv}";

/** A script exits with this code, and a line on standard error, if it did not start. */
export const notAloneExit = 47;

/**
 * Shell: runs the script under the name `id`, but only if nothing else of ours works on the machine. The processes that
 * the script starts do not inherit the lock: a service would hold it forever. A machine without flock never had an
 * agent.
 */
export function aloneScript(id: string, script: string): string {
    return `
if command -v flock >/dev/null; then
    nfv_run=${runFolder}
    nfv_dir=$nfv_run/steps/${id}
    [ -d "$nfv_run/steps" ] || (umask 077; mkdir -p "$nfv_run/steps")
    exec 9>"$nfv_run/lock"
    flock 9
    for nfv_each in "$nfv_run"/steps/*/alive; do
        nfv_other=\${nfv_each%/alive}
        [ -e "$nfv_each" ] && [ ! -e "$nfv_other/rc" ] || continue
        flock -n -s "$nfv_each" true || { echo "nfv-busy running \${nfv_other##*/}" >&2; exit ${notAloneExit}; }
    done
    if [ -e "$nfv_run/lease" ] && read -r nfv_holder nfv_until nfv_boot <"$nfv_run/lease"; then
        read -r nfv_up _ </proc/uptime
        if [ "$nfv_boot" = "$(cat /proc/sys/kernel/random/boot_id)" ] && [ "$nfv_until" -gt "\${nfv_up%%.*}" ]; then
            echo "nfv-busy lease $nfv_holder" >&2
            exit ${notAloneExit}
        fi
    fi
    rm -rf "$nfv_dir"
    (umask 077; mkdir "$nfv_dir")
    : >"$nfv_dir/out"
    : >"$nfv_dir/alone"
    exec 8>"$nfv_dir/alive"
    flock 8
    echo "script - 0" >"$nfv_dir/meta"
    : >"$nfv_dir/started"
    exec 9>&-
    trap 'nfv_code=$?; echo "$nfv_code 0" 2>/dev/null >"$nfv_dir/rc" || true' EXIT
fi
(
${script}
) 8>&-`;
}

/** Why a script did not start; undefined if it started. */
export function notAloneFor({ code, stderr }: CommandResult): { kind: "running" | "lease"; what: string } | undefined {
    const [, kind, what] = /^nfv-busy (running|lease) (\S+)$/m.exec(stderr) ?? [];
    return code === notAloneExit && kind !== undefined ? { kind: kind as "running" | "lease", what: what! } : undefined;
}

/** Shell: prints "underWay=ID" for each such script that is running. Changes nothing. */
export const underWayScript = `
if command -v flock >/dev/null; then
    for nfv_each in ${runFolder}/steps/*/alone; do
        nfv_other=\${nfv_each%/alone}
        [ -e "$nfv_each" ] && [ ! -e "$nfv_other/rc" ] && [ -e "$nfv_other/alive" ] || continue
        flock -n -s "$nfv_other/alive" true || echo "underWay=\${nfv_other##*/}"
    done
fi
`;
