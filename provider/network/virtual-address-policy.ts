import { formersFile } from "../endpoint/side-by-side";
import { asAdministrator } from "../shell/kubectl";
import { sh } from "../shell/script";
import { toYaml } from "../to-yaml";
import { applyManifestScript } from "./scripts";

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

/**
 * Runs on a control-plane node: applies the policy in $MANIFEST for $VIP, and also for each former virtual address
 * recorded there: until all nodes have moved, some send the API's traffic to it.
 */
export const applyPoliciesScript =
    sh`
        formers=$(sed -n 's/.*"vip":{[^}]*"address":"\\([^"]*\\)".*/\\1/p' ${formersFile} 2>/dev/null || true)
        wanted=$MANIFEST
        for former in $formers; do
            [ "$former" != "$VIP" ] || continue
            name=${formerName}$(printf '%s' "$former" | tr .: --)
            pattern=$(printf '%s' "$VIP" | sed 's/[.]/[.]/g')
            copy=$(printf '%s\\n' "$wanted" | sed "s/$pattern/$former/g; s/${name}/$name/g")
            MANIFEST=$(printf '%s\\n---\\n%s' "$MANIFEST" "$copy")
        done
    ` + applyManifestScript;

/** Runs on a control-plane node when all nodes have moved: deletes the policies of former addresses. */
export const removeFormerPoliciesScript =
    asAdministrator +
    sh`
        tries=0
        # the address of the API may just have gone to another master
        until found=$(kubectl --request-timeout=20s get validatingadmissionpolicies,validatingadmissionpolicybindings -o name); do
            tries=$((tries + 1))
            [ $tries -lt 5 ] || exit 1
            sleep 2
        done
        found=$(printf '%s\\n' "$found" | grep '/${formerName}' || true)
        [ -z "$found" ] || kubectl --request-timeout=20s delete --ignore-not-found $found
    `;
