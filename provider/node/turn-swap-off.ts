import type { HostSpec } from "../common/model";
import { sh } from "../shell/script";
import { script } from "../shell/script-file";
import { step } from "../steps/step";

/**
 * kubelet refuses to start while swap is on, also after the next boot. Only devices that exist on this machine are
 * touched: in a container, /proc/swaps lists those of its host.
 */
export const turnSwapOff = step<HostSpec>({ id: "host.swap", title: "turn swap off" })(() => ({
    revision: 1,
    probe: sh`
        [ "$(wc -l < /proc/swaps)" -le 1 ] && ! awk '$1 !~ /^#/ && $3 == "swap" { on = 1 } END { exit !on }' /etc/fstab 2>/dev/null
    `,
    run: script("node/turn-swap-off.sh"),
    timeoutSeconds: 120,
}));
