import type { HostSpec } from "../model";
import { errorsFor, exitCodes } from "../shell/exit-codes";
import { sh, usualPath } from "../shell/script";
import type { StepFactory } from "../steps/types";
import { addressProbe } from "./address-probe";
import { findInterface } from "./configure-load-balancer";
import { guardRulesPath } from "./vrrp-guard";

/**
 * keepalived would take the virtual address away from a machine that has it already: a gateway, another cluster. So
 * each node checks before it is changed. Workers check too, so that a refused change of the endpoint changes no node. A
 * node checks an address once: a node that guards it already belongs to a cluster that serves it.
 */
export const checkVirtualAddress: StepFactory<HostSpec> = spec => {
    const { vip, port } = spec.endpoint;
    if (vip === undefined) return undefined;
    const isIp4 = (address: string) => !address.includes(":");
    return {
        id: "host.virtual-address-free",
        title: "look whether another machine has the virtual address",
        revision: 1,
        env: {
            VIP: vip.address,
            VIP_INTERFACE: vip.interface,
            ADDRESS: spec.address,
            PORT: String(port),
            AUTHORITY: spec.caCertHash,
            MASTERS: spec.masters
                .map(({ address }) => address)
                .filter(isIp4)
                .join(" "),
            PROBE: addressProbe,
        },
        run:
            `${usualPath}\n` +
            sh`
                ! grep -qwF "$VIP" ${guardRulesPath} 2>/dev/null || exit 0
                case $VIP in *:*) echo "$VIP is no IPv4 address: not looked who has it"; exit 0 ;; esac
                [ -z "$(ip -o address show to "$VIP")" ] || exit 0
            ` +
            findInterface +
            sh`
                command -v python3 >/dev/null || { echo "no python3: not looked who has $VIP"; exit 0; }
                others=$(python3 -c "$PROBE" "$interface" "$VIP" 1.6 "$PORT" "$AUTHORITY" $MASTERS) || { echo "could not look who has $VIP"; exit 0; }
                [ -n "$others" ] || exit 0
                printf '%s answers for %s on %s already (ARP), and it is no master of this cluster\\n' "$(echo $others)" "$VIP" "$interface" >&2
                exit ${exitCodes.ADDRESS_IN_USE}
            `,
        errors: errorsFor("ADDRESS_IN_USE"),
        // The list of control-plane nodes is left out: otherwise a new one would make all others check again.
        declaredState: { address: vip.address },
        timeoutSeconds: 30,
    };
};
