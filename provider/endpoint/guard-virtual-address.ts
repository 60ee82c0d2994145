import type { HostSpec } from "../model";
import { installPackages } from "../node/packages";
import { sh, stateFolder } from "../node/script";
import type { StepFactory } from "../steps/types";
import { findInterface } from "./configure-load-balancer";
import { interfacePlaceholder } from "./keepalived-config";
import {
    guardDropIn,
    guardDropInPath,
    guardRulesPath,
    guardService,
    guardUnit,
    guardUnitPath,
    vrrpGuard,
} from "./vrrp-guard";

/** Every node, not only masters: adverts of a pod are dropped where the pod runs, too. */
export const guardVirtualAddress: StepFactory<HostSpec> = spec => {
    const { vip } = spec.endpoint;
    if (vip === undefined) return undefined;
    const template = `${stateFolder}/virtual-address.nft`;
    return {
        id: "host.virtual-address-guard",
        title: "keep pods from taking the virtual address",
        files: [
            { path: template, content: vrrpGuard(spec) },
            { path: guardUnitPath, content: guardUnit },
            { path: guardDropInPath, content: guardDropIn },
        ],
        env: {
            APT_PACKAGES: "nftables",
            DNF_PACKAGES: "nftables",
            VIP_INTERFACE: vip.interface,
            ADDRESS: spec.address,
        },
        run:
            installPackages +
            findInterface +
            sh`
                [ -x /usr/sbin/nft ] || install_packages
                mkdir -p ${guardRulesPath.slice(0, guardRulesPath.lastIndexOf("/"))}
                sed "s/${interfacePlaceholder}/$interface/" ${template} > ${guardRulesPath}.new
                /usr/sbin/nft -c -f ${guardRulesPath}.new
                mv ${guardRulesPath}.new ${guardRulesPath}
                systemctl daemon-reload
                systemctl enable -q --no-reload ${guardService}
                # a reload replaces the rules at once, without a moment in between
                systemctl reload-or-restart ${guardService}
            `,
        timeoutSeconds: 300,
        retries: { times: 2, delaySeconds: 10, onExitCodes: [100] },
    };
};
