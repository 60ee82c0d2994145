import { toYaml } from "../kubeadm/to-yaml";

const name = "pulumi-nfv-virtual-address";
const group = "admissionregistration.k8s.io";

/**
 * The API server's own rule that no Service takes the cluster's virtual address. kube-proxy on each node would hand packets for an
 * external IP, or for an address of a load balancer, to the Service's pods, and who may make a Service would get the traffic of the API.
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
