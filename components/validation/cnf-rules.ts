import type { Rule } from "./cluster-rules";

/** What the rules read of `CnfArgs`. That type itself names the component `Vim`, which uses the rules. */
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
