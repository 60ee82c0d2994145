import { toYaml } from "../common/to-yaml";
import { formersFile } from "../endpoint/side-by-side";
import { script } from "../shell/script-file";
import { type Policy, policyObjects } from "./policy";

const name = "pulumi-nfv-virtual-address";
const formerName = `${name}-former-`;

/**
 * No Service may use the cluster's virtual address, not even by the word of a load balancer's controller. Otherwise kube-proxy on each node would send the
 * API's packets to the Service's pods.
 */
export function virtualAddressPolicy(address: string): string {
    const isOurs = (value: string) => `isIP(${value}) && ip(${value}) == ip('${address}')`;
    const policy: Policy = {
        name,
        requests: [{ apiGroup: "", resources: ["services", "services/status"], operations: ["CREATE", "UPDATE"] }],
        rules: [
            {
                expression: `!has(object.spec.externalIPs) || !object.spec.externalIPs.exists(each, ${isOurs("each")})`,
                message: `spec.externalIPs: ${address} is the virtual address of the Kubernetes API`,
            },
            {
                expression:
                    "!has(object.status) || !has(object.status.loadBalancer) || !has(object.status.loadBalancer.ingress) || " +
                    `!object.status.loadBalancer.ingress.exists(each, has(each.ip) && ${isOurs("each.ip")})`,
                message: `status.loadBalancer: ${address} is the virtual address of the Kubernetes API`,
            },
        ],
    };
    return toYaml(...policyObjects(policy));
}

/** Applies the policy in MANIFEST for VIP, and for each former virtual address that the control-plane node has recorded. */
export const applyPoliciesScript = script("admission/apply-virtual-address.sh", {
    FORMERS_FILE: formersFile,
    POLICY: name,
    FORMER_POLICY: formerName,
});

/** Deletes the policies of former addresses when all nodes have moved. */
export const removeFormerPoliciesScript = script("admission/remove-former-policies.sh", { FORMER_POLICY: formerName });
