import { kubectlDocuments } from "../../provider/vim/kubectl-yaml";
import type { TaintArgs } from "../args/args";
import type { PlainArgs } from "../common/plain-args";
import { dnsName, oneOf, type Problem, prefixed, type Rule } from "./rule";

/** What kubeadm, the API server and the kernel would refuse in settings of nodes, when the nodes are half made. */

type Find = (text: string) => string | undefined;
type Settings = Record<string, string> | undefined;

const word = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const characters = "A-Z, a-z, 0-9, -, _ and ., with a letter or digit at both ends";
const longestWord = 63;
const longestPrefix = 253;
const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/** Kubernetes' qualified names, the keys of labels and taints: "tier", "example.com/tier". */
const keyProblem: Find = key => {
    const slash = key.indexOf("/");
    const [prefix, name] = [slash < 0 ? undefined : key.slice(0, slash), key.slice(slash + 1)];
    if (prefix !== undefined && (!dnsName.test(prefix) || prefix.length > longestPrefix)) {
        return `the key is not allowed: "${prefix}" before the / is no DNS name (a-z, 0-9, - and .)`;
    }
    if (name.length > longestWord) {
        return `the key is not allowed: its name has ${name.length} characters, ${longestWord} is the most`;
    }
    return word.test(name)
        ? undefined
        : `the key is not allowed: ${characters}, after a DNS name and / if wanted ("example.com/tier")`;
};

/** The API server ignores upper and lower case in keys of annotations. */
const annotationKeyProblem: Find = key => keyProblem(key.toLowerCase());

const valueProblem: Find = value =>
    value === "" || (word.test(value) && value.length <= longestWord)
        ? undefined
        : `"${value}" is not allowed: at most ${longestWord} characters: ${characters}`;

const sysctlProblem: Find = name =>
    /^\w[-\w:@+]*([./]\w[-\w:@+]*)+$/.test(name)
        ? undefined
        : 'is no name of a kernel setting: write it like "vm.max_map_count"';

const patched =
    "kube-apiserver, kube-controller-manager, kube-scheduler, etcd, kubeletconfiguration, corednsdeployment".split(
        ", ",
    );
const patchName = new RegExp(`^(${patched.join("|")})[-\\w]*(\\+(strategic|merge|json))?(\\.(json|yaml))?$`);

/** kubeadm refuses unknown targets and types, and ignores files with another extension. */
const patchProblem: Find = name =>
    patchName.test(name)
        ? undefined
        : `kubeadm has no such patch: one of ${patched.join(", ")}; a number if there are several; +strategic, +merge or +json ("kube-apiserver1+merge")`;

/** By input: rules of its keys and of its values. */
const maps: Record<"labels" | "annotations" | "sysctls" | "patches", { key: Find; value?: Find }> = {
    labels: { key: keyProblem, value: valueProblem },
    annotations: { key: annotationKeyProblem },
    sysctls: { key: sysctlProblem },
    patches: { key: patchProblem },
};

/** What is wrong with each entry of such an input. */
function entries(place: string, input: keyof typeof maps, given: Settings): Problem[] {
    const { key, value } = maps[input];
    return Object.entries(given ?? {}).flatMap(([name, text]) => {
        const problem = key(name) ?? value?.(text);
        return problem === undefined ? [] : [[`${place}.${name}`, problem] as Problem];
    });
}

const ofGroups =
    (input: "labels" | "annotations"): Rule<PlainArgs> =>
    args =>
        Object.entries(groupsOf(args)).flatMap(([group, given]) =>
            entries(`${group}.${input}`, input, given?.[input] as Settings),
        );

const sysctls: Rule<PlainArgs> = args => [
    ...entries("sysctls", "sysctls", args.sysctls),
    ...Object.entries(prefixed("pools", args.pools)).flatMap(([pool, given]) =>
        entries(`${pool}.sysctls`, "sysctls", given.sysctls),
    ),
];

const patches: Rule<PlainArgs> = args => [
    ...entries("controlPlane.patches", "patches", args.controlPlane?.patches),
    ...Object.entries(args.controlPlane?.patches ?? {}).flatMap(([name, text]) =>
        yamlProblems(`controlPlane.patches.${name}`, text, () => undefined),
    ),
];

const auditLevels = ["None", "Metadata", "Request", "RequestResponse"];

/** What the API server would not start with. */
const audit: Rule<PlainArgs> = args =>
    yamlProblems("controlPlane.audit.policy", args.controlPlane?.audit?.policy, policy => {
        const { apiVersion, kind, rules } = (policy ?? {}) as Record<string, unknown>;
        if (apiVersion !== "audit.k8s.io/v1" || kind !== "Policy")
            return "is no policy: it begins with apiVersion: audit.k8s.io/v1 and kind: Policy";
        if (!Array.isArray(rules) || rules.length === 0) return "has no list of rules";
        const wrong = rules.findIndex(rule => !auditLevels.includes(rule?.level));
        return wrong === -1 ? undefined : `rules.${wrong}.level: must be one of ${auditLevels.join(", ")}`;
    });

/** `wrong`: says what is wrong with the value of a text that can be read. */
function yamlProblems(
    place: string,
    text: string | undefined,
    wrong: (value: unknown) => string | undefined,
): Problem[] {
    if (text === undefined || text === "") return [];
    try {
        const problem = wrong(kubectlDocuments(text)[0]);
        return problem === undefined ? [] : [[place, problem]];
    } catch (error) {
        return [[place, `cannot be read as YAML: ${(error as Error).message}`]];
    }
}

const taints: Rule<PlainArgs> = args =>
    Object.entries(groupsOf(args)).flatMap(([group, given]) => taintProblems(`${group}.taints`, given?.taints));

/** What is wrong with the labels of one group of nodes; `at`: their place. */
export const labelProblems = (at: string, given: Settings): Problem[] => entries(`${at}.labels`, "labels", given);

/** What is wrong with the taints of one group of nodes; `at`: their place. */
export function taintProblems(at: string, given: readonly TaintArgs[] = []): Problem[] {
    const seen = new Map<string, string>();
    return given.flatMap(({ key, value = "", effect }, i): Problem[] => {
        const place = `${at}.${i}`;
        const same = seen.get(`${key}:${effect}`);
        seen.set(`${key}:${effect}`, place);
        const found: [string, string | undefined][] = [
            [`${place}.key`, keyProblem(key)],
            [`${place}.value`, valueProblem(value)],
            [place, same && `has the key and the effect of ${same}`],
        ];
        return [
            ...found.filter((row): row is Problem => row[1] !== undefined),
            ...(effects.includes(effect) ? [] : [oneOf(`${place}.effect`, effect, effects)]),
        ];
    });
}

export const nodeRules: Rule<PlainArgs>[] = [
    ofGroups("labels"),
    ofGroups("annotations"),
    taints,
    sysctls,
    patches,
    audit,
];

function groupsOf(args: PlainArgs) {
    return { controlPlane: args.controlPlane, ...prefixed("pools", args.pools) };
}
