import type { Problem, Rule } from "./rule";

/** The part of `CnfArgs` that the rules read. `CnfArgs` itself refers to the component `Vim`, which uses the rules: a cycle. */
interface CheckedCnfArgs {
    manifests?: unknown[];
    objects?: unknown[];
    chart?: { source?: string; version?: string };
    timeoutSeconds?: number;
    readiness?: Record<
        string,
        {
            condition?: string;
            status?: string;
            field?: string;
            value?: string;
            exists?: boolean;
            timeoutSeconds?: number;
        }
    >;
}

export const cnfRules: Rule<CheckedCnfArgs>[] = [
    ({ manifests, objects, chart }) =>
        [manifests, objects, chart].every(each => each === undefined)
            ? [["manifests", "is required, or objects, or chart"]]
            : [],
    ({ chart }) =>
        chart?.source?.startsWith("oci://") && chart.version === undefined
            ? [["chart.version", "is required with a registry: a newer chart would come unasked"]]
            : [],
    ({ chart: { source = "" } = {} }) =>
        /^(?!oci:)[a-z]+:\/\//.test(source)
            ? [["chart.source", "must be a folder, an archive or oci://…; helm pull fetches a chart from other places"]]
            : [],
    ({ readiness = {} }) => Object.entries(readiness).flatMap(([pattern, rule]) => ruleProblems(pattern, rule)),
    ({ timeoutSeconds = 1 }) => (timeoutSeconds > 0 ? [] : [["timeoutSeconds", "must be greater than 0"]]),
];

function ruleProblems(pattern: string, rule: NonNullable<CheckedCnfArgs["readiness"]>[string]): Problem[] {
    const place = `readiness.${pattern}`;
    const { condition, status, field, value, exists, timeoutSeconds = 1 } = rule;
    const ways = [condition !== undefined, field !== undefined, exists === true].filter(Boolean).length;
    const problems: [boolean, Problem][] = [
        [
            !pattern.includes("/"),
            [place, 'must be "VERSION/KIND" or "GROUP/VERSION/KIND", in which * stands for any text'],
        ],
        [ways !== 1, [place, "must have exactly one of condition, field and exists: true"]],
        [status !== undefined && condition === undefined, [`${place}.status`, "needs condition"]],
        [value !== undefined && field === undefined, [`${place}.value`, "needs field"]],
        [!(timeoutSeconds > 0), [`${place}.timeoutSeconds`, "must be greater than 0"]],
    ];
    return problems.flatMap(([isWrong, problem]) => (isWrong ? [problem] : []));
}
