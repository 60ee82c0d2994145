/**
 * Steps that concern the whole cluster interrupt nothing, and are carried out again where the state lacks them (provider/objects/cluster-wide.ts):
 * another control-plane node than that of the killed run may do it.
 */
export const isOfWholeCluster = /^cluster\.(coredns(-apart)?|network|virtual-address|tenants|endpoint|nodes-ready)$/;
