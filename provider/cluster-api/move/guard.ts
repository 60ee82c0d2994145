import type { KubeObject } from "../../vim";
import { movingAnnotation } from "./transit";
import type { Guard } from "./types";

const group = "admissionregistration.k8s.io";
const root = `/apis/${group}/v1`;
/** On the policies: the namespace whose clusters have moved away, and the uid of the cluster that has them. */
const namespaceLabel = "pulumi-nfv.dev/moved-namespace";
const targetLabel = "pulumi-nfv.dev/moved-to";

export const guardOf = (labels: Record<string, string> = {}): Guard[] => {
    const { [namespaceLabel]: namespace, [targetLabel]: movedTo } = labels;
    return namespace === undefined || movedTo === undefined ? [] : [{ namespace, movedTo }];
};

export const guardsPath = `${root}/validatingadmissionpolicies`;

/** Of the policy, and of its binding. */
export const guardPaths = (guard: Guard) =>
    ["validatingadmissionpolicies", "validatingadmissionpolicybindings"].map(
        plural => `${root}/${plural}/${nameOf(guard)}`,
    );

const nameOf = ({ namespace, movedTo }: Guard) => `moved.${namespace}.${movedTo.slice(0, 8)}.pulumi-nfv.dev`;

/**
 * No Cluster can be made in a namespace whose clusters have moved away: a tool that still has its manifest, or a program that finds it gone, would make
 * it again, and two Cluster APIs would work on one cluster. A move back is allowed.
 */
export function guardObjects(guard: Guard): KubeObject[] {
    const { namespace, movedTo } = guard;
    const metadata = {
        name: nameOf(guard),
        labels: { "app.kubernetes.io/managed-by": "pulumi-nfv", [namespaceLabel]: namespace, [targetLabel]: movedTo },
    };
    return [
        {
            apiVersion: `${group}/v1`,
            kind: "ValidatingAdmissionPolicy",
            metadata,
            spec: {
                failurePolicy: "Fail",
                matchConstraints: {
                    resourceRules: [
                        {
                            apiGroups: ["cluster.x-k8s.io"],
                            apiVersions: ["*"],
                            operations: ["CREATE"],
                            resources: ["clusters"],
                        },
                    ],
                },
                matchConditions: [{ name: "namespace", expression: `object.metadata.namespace == "${namespace}"` }],
                validations: [
                    {
                        expression: `has(object.metadata.annotations) && "${movingAnnotation}" in object.metadata.annotations`,
                        message: `the clusters of namespace ${namespace} were moved to another management cluster: make this one there`,
                    },
                ],
            },
        },
        {
            apiVersion: `${group}/v1`,
            kind: "ValidatingAdmissionPolicyBinding",
            metadata,
            spec: { policyName: metadata.name, validationActions: ["Deny"] },
        },
    ];
}
