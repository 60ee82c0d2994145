import { listed } from "./names";
import type { ClusterDescription, Operation } from "./operation";

/*
 * A run carries out one request. Settings and labels go along with anything, and a repair comes before a request; what else two programs differ by stands in the table
 * of pairs.
 */

/** The requests that a run can carry out, in the order in which they are done where one run cannot do both. Each part: how a message names it in the run; undefined: the program does not request it. */
const requests = {
    etcdRestore: ({ newInput }) => newInput("etcdRestore.run"),
    heal: ({ requested }) => requested("heal"),
    "healed control-plane nodes": ({ healed }) => healed("controlPlane"),
    "healed workers": ({ healed }) => healed("worker"),
    replaceServers: ({ requested }) => requested("replaceServers"),
    workers: ({ members }) => members("worker"),
    "controlPlane.endpoint": ({ changes }) => changes("endpoint"),
    "control-plane nodes": ({ members }) => members("controlPlane"),
    "kubernetes.version": ({ changes }) => changes("kubernetesVersion"),
    "rotate.encryptionKey": ({ newInput }) => newInput("rotate.encryptionKey"),
    "rotate.serviceAccountKey": ({ newInput }) => newInput("rotate.serviceAccountKey"),
    "rotate.authorities": ({ newInput }) => newInput("rotate.authorities"),
    "os.upgrade": ({ newInput }) => newInput("os.upgrade"),
    "restart.containerRuntime": ({ newInput }) => newInput("restart.containerRuntime"),
} satisfies Record<string, (run: Run) => string | undefined>;

export type RequestName = keyof typeof requests;

/** One node after another has its turn. */
const nodeByNode: RequestName[] = ["os.upgrade", "restart.containerRuntime"];
const rotations: RequestName[] = ["rotate.encryptionKey", "rotate.serviceAccountKey", "rotate.authorities"];
/** Also those whose server is lost, or that are on another machine: no program requests that. */
const healed: RequestName[] = ["healed control-plane nodes", "healed workers"];
const members: RequestName[] = ["control-plane nodes", "workers"];

interface Row {
    /** Are done first. */
    first: readonly RequestName[];
    second: readonly RequestName[];
    why: string;
}

/** The pairs that are refused. All others are done in one run, in the order of `docs/operations.md`. */
const refused: readonly Row[] = [
    {
        first: ["etcdRestore"],
        second: ["replaceServers", ...nodeByNode, ...rotations],
        why: "a restore stops the API, and what the cluster was comes back",
    },
    {
        first: ["heal"],
        second: ["replaceServers"],
        why: "both let nodes leave, and one node after another may be away",
    },
    {
        first: ["healed control-plane nodes"],
        second: ["kubernetes.version"],
        why: "a control-plane node must be healed before the others take turns",
    },
    {
        first: ["control-plane nodes"],
        second: ["kubernetes.version"],
        why: "one that joins would get the previous version from the cluster's configuration, and those that take turns must stay",
    },
    {
        first: ["controlPlane.endpoint"],
        second: ["kubernetes.version"],
        why: "kubeadm knows one endpoint only",
    },
    {
        first: ["controlPlane.endpoint"],
        second: ["control-plane nodes"],
        why: "all that stay must serve the new endpoint before one joins or leaves",
    },
    {
        first: [...healed, "replaceServers", "workers"],
        second: ["controlPlane.endpoint"],
        why: "the nodes that stay serve and use both endpoints for a while, and a node that comes or goes knows one of them",
    },
    {
        first: ["replaceServers", ...members, "controlPlane.endpoint", "kubernetes.version"],
        second: [...nodeByNode, ...rotations],
        why: "it acts on all nodes, so these are to be there and at rest",
    },
    {
        first: rotations,
        second: nodeByNode,
        why: "a node that restarts something would stop the rotation in its middle",
    },
    { first: ["os.upgrade"], second: ["restart.containerRuntime"], why: "one node after another has its turn" },
];

export const requestNames = Object.keys(requests) as RequestName[];

/** Why two of them cannot be done in one run; undefined: they can. Pure. */
export function whyNotTogether(one: RequestName, other: RequestName): string | undefined {
    return rowOf(one, other)?.why ?? rowOf(other, one)?.why;
}

const rowOf = (one: RequestName, other: RequestName) =>
    refused.find(({ first, second }) => first.includes(one) && second.includes(other));

/** A restore onto new machines brings them, and what the cluster of the snapshot was: all that belongs to its request. */
const ofRestore: readonly RequestName[] = [
    "heal",
    ...healed,
    ...members,
    "controlPlane.endpoint",
    "kubernetes.version",
];

/** What of this run must be done in a run of its own, in which order. `names`: the nodes that `heal` and `replaceServers` mean now. Pure. */
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
    const open = found.filter(({ name }) => after.ontoNew !== true || !ofRestore.includes(name));
    const runs = inRuns(open);
    if (runs.length < 2) return [];
    const lines = runs.map((its, i) => {
        const [{ why = "" } = {}] = its;
        return `${i + 1}. ${[...new Set(its.map(({ what }) => what))].join(" and ")}${why && ` (${why})`}`;
    });
    return [
        `this cannot be done in one run, each needs a pulumi up of its own: ${lines.join("; ")}. Leave out all but the first; nothing was touched`,
    ];
}

interface Requested {
    name: RequestName;
    /** With its nodes, for a message. */
    what: string;
    /** Why the run before it cannot do it. */
    why?: string;
}

/** In how few runs the requests can be done, each as early as possible. */
function inRuns(open: readonly Requested[]): Requested[][] {
    const runs: Requested[][] = [];
    for (const each of open) {
        const whyNotIn = (run: readonly Requested[]) =>
            run.map(({ name }) => whyNotTogether(name, each.name)).find(why => why !== undefined);
        const whys = runs.map(whyNotIn);
        const last = whys.reduce((found, why, i) => (why === undefined ? found : i), -1);
        const why = whys[last];
        runs[last + 1] = [...(runs[last + 1] ?? []), { ...each, ...(why !== undefined && { why }) }];
    }
    return runs;
}

export type Named = Record<"heal" | "replaceServers", readonly string[]>;

/** What the program requests in this run. */
interface Run {
    /** An input that has another value. */
    newInput(input: string): string | undefined;
    changes(what: "endpoint" | "kubernetesVersion"): string | undefined;
    members(role: string): string | undefined;
    healed(role: string): string | undefined;
    requested(request: keyof Named): string | undefined;
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
        newInput: input => {
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
                "heal",
                all("replaced").filter(name => is(role)(name) && !names.replaceServers.includes(name)),
            ),
        requested: request => named(request, names[request]),
    };
}
