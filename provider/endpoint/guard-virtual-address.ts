import type { HostSpec } from "../common/model";
import { installErrors } from "../shell/exit-codes";
import { stateFolder } from "../shell/folders";
import { dropInOf, unitOf } from "../shell/nft-rules";
import { script } from "../shell/script-file";
import { step } from "../steps/step";
import { interfacePlaceholder } from "./keepalived-config";
import {
    guardConstants,
    guardDropInPath,
    guardRulesPath,
    guardService,
    guardTable,
    guardUnitPath,
    vrrpGuard,
} from "./vrrp-guard";

/** On every node, also on workers: adverts from a pod are dropped on the pod's own node. */
export const guardVirtualAddress = step<HostSpec>({
    id: "host.virtual-address-guard",
    title: "keep pods from taking the virtual address",
})(spec => {
    const { vip } = spec.endpoint;
    if (vip === undefined) return undefined;
    const template = `${stateFolder}/virtual-address.nft`;
    const constants = {
        TEMPLATE: template,
        INTERFACE_PLACEHOLDER: interfacePlaceholder,
        GUARD_RULES: guardRulesPath,
        GUARD_SERVICE: guardService,
    };
    return {
        revision: 1,
        files: [
            { path: template, content: vrrpGuard(spec) },
            { path: guardUnitPath, content: unitOf(guardTable) },
            { path: guardDropInPath, content: dropInOf(guardTable) },
        ],
        env: {
            APT_PACKAGES: "nftables",
            DNF_PACKAGES: "nftables",
            VIP_INTERFACE: vip.interface,
            ADDRESS: spec.address,
        },
        run: script("endpoint/guard-virtual-address.sh", constants),
        observe: {
            script: script("endpoint/observe-guard.sh", { ...constants, GUARD_TABLE: guardConstants.GUARD_TABLE }),
        },
        errors: installErrors,
        timeoutSeconds: 300,
        retries: { times: 2, delaySeconds: 10, onExitCodes: [100] },
    };
});
