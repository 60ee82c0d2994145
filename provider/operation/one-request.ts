import { listed } from "./names";
import type { ClusterDescription, Operation } from "./operation";

/*
 * A run carries out one request. Settings and labels go along with anything, and a repair comes before a request; what else two programs differ by stands in the table
 * of pairs.
 */

/** What a run can be asked for. Each part: how a message names it in the run; undefined: it is not asked for. */
const requests = {
    etcdRestore: ({ given }) => given("etcdRestore.run"),
    heal: ({ asked }) => asked("heal"),
    "healed control-plane nodes": ({ healed }) => healed("controlPlane"),
    "healed workers": ({ healed }) => healed("worker"),
    replaceServers: ({ asked }) => asked("replaceServers"),
    "control-plane nodes": ({ members }) => members("controlPlane"),
    workers: ({ members }) => members("worker"),
    "controlPlane.endpoint": ({ changes }) => changes("endpoint"),
    "kubernetes.version": ({ changes }) => changes("kubernetesVersion"),
    "os.upgrade": ({ given }) => given("os.upgrade"),
    "rotate.encryptionKey": ({ given }) => given("rotate.encryptionKey"),
    "rotate.serviceAccountKey": ({ given }) => given("rotate.serviceAccountKey"),
    "rotate.authorities": ({ given }) => given("rotate.authorities"),
} satisfies Record<string, (run: Run) => string | undefined>;

export type RequestName = keyof typeof requests;

const rotations: RequestName[] = ["rotate.encryptionKey", "rotate.serviceAccountKey", "rotate.authorities"];
/** Also those whose server is lost, or that are on another machine: no program asks for that. */
const healed: RequestName[] = ["healed control-plane nodes", "healed workers"];
const members: RequestName[] = ["control-plane nodes", "workers"];

interface Row {
    /** Done first. */
    these: readonly RequestName[];
    beside: readonly RequestName[];
    why: string;
}

/** The pairs that are refused. All others are done in one run, in the order of `docs/operations.md`. */
const refused: readonly Row[] = [
    {
        these: ["etcdRestore"],
        beside: ["replaceServers", "os.upgrade", ...rotations],
        why: "a restore stops the API, and what the cluster was comes back",
    },
    {
        these: ["heal"],
        beside: ["replaceServers"],
        why: "both let nodes leave, and one node after another may be away",
    },
    {
        these: ["healed control-plane nodes"],
        beside: ["kubernetes.version"],
        why: "a control-plane node must be healed before the others take turns",
    },
    {
        these: ["control-plane nodes"],
        beside: ["kubernetes.version"],
        why: "one that joins would get the former version from the cluster's configuration, and those that take turns must stay",
    },
    {
        these: ["controlPlane.endpoint"],
        beside: ["kubernetes.version"],
        why: "kubeadm knows one endpoint only",
    },
    {
        these: [...healed, "replaceServers", ...members],
        beside: ["controlPlane.endpoint"],
        why: "the nodes that stay serve and use both endpoints for a while, and a node that comes or goes knows one of them",
    },
    {
        these: ["replaceServers", ...members, "controlPlane.endpoint", "kubernetes.version"],
        beside: ["os.upgrade", ...rotations],
        why: "it acts on all nodes, so these are to be there and at rest",
    },
    { these: rotations, beside: ["os.upgrade"], why: "a machine that reboots would stop the rotation in its middle" },
];

export const requestNames = Object.keys(requests) as RequestName[];

/** Why two of them cannot be done in one run; undefined: they can. Pure. */
export function whyNotTogether(one: RequestName, other: RequestName): string | undefined {
    return rowOf(one, other)?.why ?? rowOf(other, one)?.why;
}

const rowOf = (first: RequestName, second: RequestName) =>
    refused.find(({ these, beside }) => these.includes(first) && beside.includes(second));

/** A restore onto new machines brings them, and what the cluster of the snapshot was: all that belongs to its request. */
const ofRestore: readonly RequestName[] = [
    "heal",
    ...healed,
    ...members,
    "controlPlane.endpoint",
    "kubernetes.version",
];

/** What of this run must be done in a run of its own, one text for each pair. `names`: the nodes that `heal` and `replaceServers` mean now. Pure. */
export function problemsOfPairs(
    operations: readonly Operation[],
    before: ClusterDescription | undefined,
    after: ClusterDescription | undefined,
    names: Named = { heal: [], replaceServers: [] },
): string[] {
    if (before === undefined || after === undefined) return [];
    const run = runOf(operations, { before, after, names });
    const found = requestNames.flatMap(name => {
        const what = requests[name](run);
        return what === undefined ? [] : [{ name, what }];
    });
    const restores = found.some(({ name }) => name === "etcdRestore");
    const asked = found.filter(({ name }) => !restores || !ofRestore.includes(name));
    return asked.flatMap(first =>
        asked.flatMap(second => {
            const row = rowOf(first.name, second.name);
            if (row === undefined) return [];
            return [
                `${first.what} and ${second.what} cannot be done in one run: ${row.why}. First ${first.what}, then ${second.what} with a pulumi up of its own; nothing was touched`,
            ];
        }),
    );
}

export type Named = Record<"heal" | "replaceServers", readonly string[]>;

/** Answers what the program asks for in this run. */
interface Run {
    /** An input that has another value. */
    given(input: string): string | undefined;
    changes(what: "endpoint" | "kubernetesVersion"): string | undefined;
    members(role: string): string | undefined;
    healed(role: string): string | undefined;
    asked(request: keyof Named): string | undefined;
}

interface Compared {
    before: ClusterDescription;
    after: ClusterDescription;
    names: Named;
}

function runOf(operations: readonly Operation[], { before, after, names }: Compared): Run {
    const is = (role: string) => (name: string) => [before, after].some(({ nodes }) => nodes[name]?.role === role);
    const named = (title: string, names: readonly string[]) =>
        names.length === 0 ? undefined : `${title} (${listed([...new Set(names)])})`;
    const all = (list: "added" | "removed" | "replaced") => operations.flatMap(operation => operation[list]);
    const inputs = { endpoint: "controlPlane.endpoint", kubernetesVersion: "kubernetes.version" };
    return {
        given: input => {
            const isChanged = operations.some(({ changed }) => changed.includes(input));
            return isChanged && after.settings?.[input] !== undefined ? input : undefined;
        },
        changes: what => {
            const [from, to] = [before[what], after[what]];
            return from !== undefined && to !== undefined && from !== to ? inputs[what] : undefined;
        },
        members: role =>
            named(
                role === "worker" ? "workers" : "control-plane nodes",
                [...all("added"), ...all("removed")].filter(is(role)),
            ),
        healed: role =>
            named(
                "the heal",
                all("replaced").filter(name => is(role)(name) && !names.replaceServers.includes(name)),
            ),
        asked: request => named(request, names[request]),
    };
}
