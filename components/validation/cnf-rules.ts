import type { Rule } from "./cluster-rules";

/** The part of `CnfArgs` that the rules read. `CnfArgs` itself refers to the component `Vim`, which uses the rules: a cycle. */
interface CheckedCnfArgs {
    manifests?: unknown[];
    objects?: unknown[];
    timeoutSeconds?: number;
}

export const cnfRules: Rule<CheckedCnfArgs>[] = [
    ({ manifests, objects }) =>
        manifests === undefined && objects === undefined ? [["manifests", "is required, or objects"]] : [],
    ({ timeoutSeconds = 1 }) => (timeoutSeconds > 0 ? [] : [["timeoutSeconds", "must be greater than 0"]]),
];
