import { script } from "../shell/script-file";
import { formerConstants, formersFile } from "./side-by-side";
import { guardConstants } from "./vrrp-guard";

/** Steps whose effect the script below undoes. They must run again if the cluster gets a virtual address once more. */
export const loadBalancerSteps = [
    "host.haproxy",
    "host.virtual-address-free",
    "host.virtual-router-id",
    "host.virtual-address-guard",
    "host.keepalived",
];

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
