import { enforceLabel, type KubeObject } from "../vim";

const group = "admissionregistration.k8s.io/v1";

/** What an API server refuses, whoever asks. Expressions are CEL. */
export interface Policy {
    name: string;
    /** Which requests it looks at. */
    requests: { apiGroup: string; resources: string[]; operations: ("CREATE" | "UPDATE")[] }[];
    /** Only in namespaces with one of these Pod Security levels. Undefined: everywhere. */
    levels?: readonly string[];
    /** Who is not bound by it: an expression. */
    exempt?: string;
    /** Expressions by name, for `variables.NAME`. */
    variables?: Record<string, string>;
    /** Each expression is evaluated once for each node, as `params`. */
    forEachNode?: boolean;
    /** What must be true, and what the user reads if it is not. */
    rules: { expression: string; message: string }[];
}

/** A ValidatingAdmissionPolicy and its binding. An API server that cannot evaluate it refuses the request. */
export function policyObjects({ name, requests, levels, exempt, variables, forEachNode, rules }: Policy): KubeObject[] {
    return [
        {
            apiVersion: group,
            kind: "ValidatingAdmissionPolicy",
            metadata: { name },
            spec: {
                failurePolicy: "Fail",
                ...(forEachNode && { paramKind: { apiVersion: "v1", kind: "Node" } }),
                matchConstraints: {
                    ...(levels && {
                        namespaceSelector: {
                            matchExpressions: [{ key: enforceLabel, operator: "In", values: [...levels] }],
                        },
                    }),
                    resourceRules: requests.map(({ apiGroup, ...request }) => ({
                        apiGroups: [apiGroup],
                        apiVersions: ["v1"],
                        ...request,
                    })),
                },
                ...(exempt !== undefined && { matchConditions: [{ name: "exempt", expression: `!(${exempt})` }] }),
                ...(variables && {
                    variables: Object.entries(variables).map(([of, expression]) => ({ name: of, expression })),
                }),
                validations: rules,
            },
        },
        {
            apiVersion: group,
            kind: "ValidatingAdmissionPolicyBinding",
            metadata: { name },
            spec: {
                policyName: name,
                validationActions: ["Deny"],
                // A cluster without nodes forwards nothing.
                ...(forEachNode && { paramRef: { selector: {}, parameterNotFoundAction: "Allow" } }),
            },
        },
    ];
}

/** A text in CEL. JSON's escapes are among those of CEL. */
export const text = (value: string) => JSON.stringify(value);

/** A list of texts in CEL. */
export const list = (values: readonly string[]) => `[${values.map(text).join(", ")}]`;
