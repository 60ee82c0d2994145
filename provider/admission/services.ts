import { usualNetwork } from "../common/cidr";
import { list, type Policy } from "./policy";
import type { TenantsSpec } from "./tenants-spec";

/** Addresses that a Service asks for: kube-proxy on each node sends the packets for external IPs to its pods, and a load balancer may follow the wish. */
const addressesOf = (object: string) =>
    `(has(${object}.spec.externalIPs) ? ${object}.spec.externalIPs : []) + ` +
    `(has(${object}.spec.loadBalancerIP) && ${object}.spec.loadBalancerIP != '' ? [${object}.spec.loadBalancerIP] : [])`;

const isAmong = (address: string, others: string, each: string) =>
    `isIP(${address}) && ${others}.exists(other, isIP(${each}) && ip(${each}) == ip(${address}))`;

/**
 * No Service takes an address of a node, of the API or of the storage server, whoever makes it: the traffic for it would end in the Service's pods. What a
 * Service had before stays, because controllers must be able to update and end it.
 */
export function servicesPolicy({ externalIps, reserved }: TenantsSpec): Policy {
    const allowed = list(externalIps.map(usualNetwork));
    const status = "object.status.loadBalancer.ingress";
    const nodes = "(has(params.status.addresses) ? params.status.addresses : [])";
    const ofCluster = `an address of the API or of the storage server: ${reserved.join(", ")}`;
    return {
        name: "pulumi-nfv-services",
        requests: [{ apiGroup: "", resources: ["services", "services/status"], operations: ["CREATE", "UPDATE"] }],
        forEachNode: externalIps.length > 0,
        variables: {
            former: `oldObject == null ? [] : ${addressesOf("oldObject")}`,
            added: `(${addressesOf("object")}).filter(address, !(address in variables.former))`,
        },
        rules: [
            {
                expression: `variables.added.all(address, isIP(address) && ${allowed}.exists(net, cidr(net).containsIP(address)))`,
                message:
                    "spec.externalIPs and spec.loadBalancerIP may only have addresses that the cluster's input tenants.externalIps lists" +
                    (externalIps.length > 0 ? `: ${externalIps.join(", ")}` : ", and it lists none"),
            },
            // Only controllers of load balancers write it, and some give whatever address a Service asks for. kube-proxy reads more notations than CEL ("::ffff:10.0.0.1").
            ...(reserved.length > 0
                ? [
                      {
                          expression: `!has(object.status) || !has(object.status.loadBalancer) || !has(${status}) || ${status}.all(each, !has(each.ip) || (isIP(each.ip) && !(${isAmong("each.ip", list(reserved), "other")})))`,
                          message: `status.loadBalancer must not have ${ofCluster}; write other addresses in their usual form`,
                      },
                  ]
                : []),
            ...(externalIps.length > 0
                ? [
                      {
                          expression: `variables.added.all(address, !(${isAmong("address", list(reserved), "other")}))`,
                          message: `spec.externalIPs and spec.loadBalancerIP must not have ${ofCluster}`,
                      },
                      {
                          expression: `variables.added.all(address, !(${isAmong("address", nodes, "other.address")}))`,
                          message: "spec.externalIPs and spec.loadBalancerIP must not have an address of a node",
                      },
                  ]
                : []),
        ],
    };
}
