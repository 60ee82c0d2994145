import type { HostSpec } from "../model";
import { sh } from "../shell/script";
import type { StepFactory } from "../steps/types";

/**
 * kubelet refuses to start while swap is on, also after the next boot. Only devices that exist on this machine are
 * touched: in a container, /proc/swaps lists those of its host.
 */
export const turnSwapOff: StepFactory<HostSpec> = () => ({
    id: "host.swap",
    title: "turn swap off",
    revision: 1,
    probe: sh`
        [ "$(wc -l < /proc/swaps)" -le 1 ] && ! grep -q '^[^#].*[[:space:]]swap[[:space:]]' /etc/fstab
    `,
    run: sh`
        for device in $(awk 'NR > 1 { print $1 }' /proc/swaps); do
            if [ ! -e "$device" ]; then
                echo "swap on $device is on and does not belong to this machine: turn it off there" >&2
                exit 1
            fi
            swapoff "$device"
        done
        sed -i 's/^[^#].*[[:space:]]swap[[:space:]].*/# pulumi-nfv: &/' /etc/fstab
    `,
    timeoutSeconds: 120,
});
