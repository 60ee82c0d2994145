import { groupOf } from "../../provider/vim/group-of";
import type { KubernetesObject } from "./manifests";

type Data = Record<string, unknown>;

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
/** How the API checks names: the first row that fits. */
const nameRules: { fits: (object: KubernetesObject) => boolean; pattern: RegExp; longest: number; words: string }[] = [
    {
        fits: ({ apiVersion }) => groupOf(apiVersion) === "rbac.authorization.k8s.io",
        pattern: /^(?!\.{1,2}$)[^/%]+$/,
        longest: 253,
        words: "a name without / and %",
    },
    {
        fits: ({ apiVersion, kind }) => apiVersion === "v1" && kind === "Service",
        pattern: /^[a-z]([-a-z0-9]*[a-z0-9])?$/,
        longest: 63,
        words: "small letters, digits and -, with a letter at the beginning, at most 63",
    },
    {
        fits: ({ apiVersion, kind }) => apiVersion === "v1" && kind === "Namespace",
        pattern: new RegExp(`^${label}$`),
        longest: 63,
        words: "small letters, digits and -, at most 63",
    },
    {
        fits: () => true,
        pattern: new RegExp(`^${label}(\\.${label})*$`),
        longest: 253,
        words: "small letters, digits, - and dots",
    },
];

/** registry.example.com:5000/path/name:tag@sha256:… */
const reference = new RegExp(
    [
        "^(?:(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\\[[0-9a-fA-F:]+\\])(?::[0-9]+)?/)?",
        "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*)*",
        "(?::[\\w][\\w.-]{0,127})?(?:@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$",
    ].join(""),
);

/** Values that the API or the nodes would refuse, whatever the schema says of their types. Pure. */
export function valueProblems(object: KubernetesObject): string[] {
    const { name, namespace } = object.metadata;
    const rule = nameRules.find(({ fits }) => fits(object))!;
    return [
        ...textProblem("metadata.name", name, rule.pattern, rule.longest, rule.words),
        ...textProblem("metadata.namespace", namespace, new RegExp(`^${label}$`), 63, "small letters, digits and -"),
        ...imageProblems(object, ""),
        ...selectorProblems(object),
        ...countProblems(object),
    ];
}

/** What Kubernetes is made for in one cluster: https://kubernetes.io/docs/setup/best-practices/cluster-large/ */
export const mostPods = 150_000;
export const tooManyPods = (count: number) =>
    `${count} are more pods than a cluster of Kubernetes can have (${mostPods})`;

function countProblems({ apiVersion, spec }: KubernetesObject): string[] {
    if (!["apps", "batch"].includes(groupOf(apiVersion))) return [];
    return ["replicas", "parallelism"].flatMap(field => {
        const count = spec?.[field];
        // The field itself takes no larger one.
        const isTaken = typeof count === "number" && count < 2 ** 31;
        return isTaken && count > mostPods ? [`spec.${field}: ${tooManyPods(count)}`] : [];
    });
}

function textProblem(path: string, value: unknown, pattern: RegExp, longest: number, words: string): string[] {
    if (typeof value !== "string" || (pattern.test(value) && value.length <= longest)) return [];
    return [`${path}: ${unrendered(value) ?? `"${value}" is not allowed: ${words}`}`];
}

/** Of Helm and the like `{{ … }}`, of envsubst `${…}`. */
const placeholder = /\{\{|\$\{\w+\}/;

/** Of a value that is not allowed: why it is none. */
export function unrendered(value: unknown): string | undefined {
    return typeof value === "string" && placeholder.test(value)
        ? `"${value}" is a template that nothing has rendered`
        : undefined;
}

const containers = ["containers", "initContainers", "ephemeralContainers"];

/** Images of the containers in pods and in templates of pods, at any depth. */
function imageProblems(value: unknown, path: string): string[] {
    if (value === null || typeof value !== "object" || Array.isArray(value)) return [];
    return Object.entries(value as Data).flatMap(([name, each]) => {
        const place = path === "" ? name : `${path}.${name}`;
        if (!containers.includes(name) || !Array.isArray(each)) return imageProblems(each, place);
        return each.flatMap((container, i) => {
            const image = (container as Data | null)?.["image"];
            if (typeof image !== "string" || image === "" || reference.test(image)) return [];
            const why = /[A-Z]/.test(image.replace(/[:@][^/]*$/, "")) ? "; its path has no capital letters" : "";
            return [`${place}.${i}.image: ${unrendered(image) ?? `"${image}" is no name of an image${why}`}`];
        });
    });
}

const workloads = ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"];

/** A workload must find its own pods: the API refuses another selector, and one that finds all. */
function selectorProblems({ apiVersion, kind, spec = {} }: KubernetesObject): string[] {
    if (groupOf(apiVersion) !== "apps" || !workloads.includes(kind)) return [];
    const { selector, template } = spec as { selector?: unknown; template?: { metadata?: Data } };
    // An object without a template lacks more, which the API says.
    if (template === undefined) return [];
    if (selector === undefined || selector === null || (isMap(selector) && Object.keys(selector).length === 0))
        return ["spec.selector: is missing: give labels of the template, such as matchLabels: { app: upf }"];
    if (!isMap(selector)) return [];
    const { matchLabels, matchExpressions } = selector;
    const labels = isMap(template?.metadata?.["labels"]) ? template.metadata["labels"] : {};
    if (Object.values(labels).some(value => typeof value !== "string")) return [];
    const has = (key: string) => (labels[key] === undefined ? "no such label" : `${key}=${String(labels[key])}`);
    const pods = (key: string) => `and the pods of the template have ${has(key)}`;
    const byLabel = Object.entries(isMap(matchLabels) ? matchLabels : {}).flatMap(([key, value]) =>
        typeof value !== "string" || labels[key] === value
            ? []
            : [`spec.selector.matchLabels.${key}: is ${value}, ${pods(key)}`],
    );
    const byExpression = (Array.isArray(matchExpressions) ? matchExpressions : []).flatMap((each: Expression, i) =>
        fits[each.operator]?.(labels[each.key], each.values ?? []) === false
            ? [
                  `spec.selector.matchExpressions.${i}: asks for ${each.key} ${each.operator} ${each.values ?? ""}, ${pods(each.key)}`,
              ]
            : [],
    );
    return [...byLabel, ...byExpression];
}

interface Expression {
    key: string;
    operator: string;
    values?: readonly unknown[];
}

/** Whether a label, undefined where there is none, is what an expression of a selector asks for. */
const fits: Record<string, (label: unknown, values: readonly unknown[]) => boolean> = {
    In: (label, values) => values.includes(label),
    NotIn: (label, values) => !values.includes(label),
    Exists: label => label !== undefined,
    DoesNotExist: label => label === undefined,
};

function isMap(value: unknown): value is Data {
    return value !== null && typeof value === "object" && !Array.isArray(value);
}
