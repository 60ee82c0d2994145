import { script } from "../shell/script-file";
import { checkVirtualAddress } from "./check-virtual-address";
import { checkVirtualRouterId, configureHaproxy, configureKeepalived } from "./configure-load-balancer";
import { guardVirtualAddress } from "./guard-virtual-address";
import { formerConstants, formersFile } from "./side-by-side";
import { guardConstants } from "./vrrp-guard";

/** Steps whose effect the script below undoes. They must run again if the cluster gets a virtual address once more. */
export const loadBalancerSteps = [
    configureHaproxy,
    checkVirtualAddress,
    checkVirtualRouterId,
    guardVirtualAddress,
    configureKeepalived,
].map(({ row }) => row.id);

/**
 * Removes former endpoints from a node once all nodes have moved. The list of former endpoints is deleted last, so that
 * an interrupted run starts over. HOST and PORT: the wanted endpoint. VIP and LOAD_BALANCER are "yes" if that is a
 * virtual address and, for the second, if this is a control-plane node.
 */
export const takeAwayScript = script("endpoint/take-away.sh", {
    ...formerConstants,
    ...guardConstants,
    FORMERS_FILE: formersFile,
});
