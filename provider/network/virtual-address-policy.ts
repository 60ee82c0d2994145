import { formersFile } from "../endpoint/side-by-side";
import { script } from "../shell/script-file";
import { toYaml } from "../to-yaml";

const name = "pulumi-nfv-virtual-address";
const formerName = `${name}-former-`;
const group = "admissionregistration.k8s.io";

/**
 * A ValidatingAdmissionPolicy: no Service may use the cluster's virtual address. Otherwise, for an external IP or a
 * load balancer's address, kube-proxy on each node would send packets to the Service's pods, so any user who may create
 * a Service could receive the API's traffic.
 */
export function virtualAddressPolicy(address: string): string {
    const isOurs = (value: string) => `isIP(${value}) && ip(${value}) == ip('${address}')`;
    const policy = {
        apiVersion: `${group}/v1`,
        kind: "ValidatingAdmissionPolicy",
        metadata: { name },
        spec: {
            failurePolicy: "Fail",
            matchConstraints: {
                resourceRules: [
                    {
                        apiGroups: [""],
                        apiVersions: ["v1"],
                        operations: ["CREATE", "UPDATE"],
                        resources: ["services", "services/status"],
                    },
                ],
            },
            validations: [
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
        },
    };
    const binding = {
        apiVersion: `${group}/v1`,
        kind: "ValidatingAdmissionPolicyBinding",
        metadata: { name },
        spec: { policyName: name, validationActions: ["Deny"] },
    };
    return toYaml(policy, binding);
}

/** Applies the policy in MANIFEST for VIP, and for each former virtual address that the control-plane node has recorded. */
export const applyPoliciesScript = script("network/apply-policies.sh", {
    FORMERS_FILE: formersFile,
    POLICY: name,
    FORMER_POLICY: formerName,
});

/** Deletes the policies of former addresses when all nodes have moved. */
export const removeFormerPoliciesScript = script("network/remove-former-policies.sh", { FORMER_POLICY: formerName });
