/*
 * An act on a machine itself (reset, leave) may still run there although its operator was killed. A run must see that before
 * it decides anything from what it finds on the machine. The agent marks the entry of such a batch in steps/<id> with a file
 * `alone`.
 */

/** Shell: prints "underWay=ID" for each act that is running on the machine itself. Changes nothing. */
export const underWayScript = `
if command -v flock >/dev/null; then
    for nfv_each in \${NFV_RUN_DIR:-/run/pulumi-nfv}/steps/*/alone; do
        nfv_other=\${nfv_each%/alone}
        [ -e "$nfv_each" ] && [ ! -e "$nfv_other/rc" ] && [ -e "$nfv_other/alive" ] || continue
        flock -n -s "$nfv_other/alive" true || echo "underWay=\${nfv_other##*/}"
    done
fi
`;

export const hungHint =
    "A run that was stopped left it running. If it hangs, restart the machine; then run the same command again.";
