import type { HostSpec } from "../model";
import { errorsFor, exitCodes } from "../shell/exit-codes";
import { stateFolder } from "../shell/folders";
import { installPackages } from "../shell/packages";
import { sh } from "../shell/script";
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

/** On every node, also on workers: adverts from a pod are dropped on the pod's own node. */
export const guardVirtualAddress: StepFactory<HostSpec> = spec => {
    const { vip } = spec.endpoint;
    if (vip === undefined) return undefined;
    const template = `${stateFolder}/virtual-address.nft`;
    return {
        id: "host.virtual-address-guard",
        title: "keep pods from taking the virtual address",
        revision: 1,
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
                needed() { echo "$1: each node of a cluster with controlPlane.endpoint.vip needs the package nftables" >&2; }
                if [ ! -x /usr/sbin/nft ]; then
                    needed "there is no /usr/sbin/nft, and it has to be installed"
                    install_packages
                fi
                mkdir -p ${guardRulesPath.slice(0, guardRulesPath.lastIndexOf("/"))}
                sed "s/${interfacePlaceholder}/$interface/" ${template} > ${guardRulesPath}.new
                if ! /usr/sbin/nft -c -f ${guardRulesPath}.new; then
                    needed "nft refuses its rules, as it does where the kernel has no nf_tables"
                    exit ${exitCodes.UNSUPPORTED_SYSTEM}
                fi
                mv ${guardRulesPath}.new ${guardRulesPath}
                systemctl daemon-reload
                systemctl enable -q --no-reload ${guardService}
                # a reload replaces the rules at once, without a moment in between
                systemctl reload-or-restart ${guardService}
            `,
        errors: errorsFor("UNSUPPORTED_SYSTEM"),
        timeoutSeconds: 300,
        retries: { times: 2, delaySeconds: 10, onExitCodes: [100] },
    };
};
