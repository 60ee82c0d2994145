import type { HostSpec } from "../common/model";
import { errorsFor } from "../shell/exit-codes";
import { script } from "../shell/script-file";
import { step } from "../steps/step";
import { addressProbe } from "./address-probe";
import { guardRulesPath } from "./vrrp-guard";

/**
 * keepalived would take the virtual address away from a machine that has it already: a gateway, another cluster. So
 * each node checks before it is changed. Workers check too, so that a refused change of the endpoint changes no node. A
 * node checks an address once: a node that guards it already belongs to a cluster that serves it.
 */
export const checkVirtualAddress = step<HostSpec>({
    id: "host.virtual-address-free",
    title: "look whether another machine has the virtual address",
    notCompared: "it only looks at other machines",
})(spec => {
    const { vip, port } = spec.endpoint;
    if (vip === undefined) return undefined;
    const isIp4 = (address: string) => !address.includes(":");
    return {
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
        run: script("endpoint/check-virtual-address.sh", { GUARD_RULES: guardRulesPath }),
        errors: errorsFor("ADDRESS_IN_USE"),
        // The list of control-plane nodes is left out: otherwise a new one would make all others check again.
        declaredState: { address: vip.address },
        observe: { unseen: "it looks at other machines, before this cluster has the address" },
        timeoutSeconds: 30,
    };
});
