import { listed } from "./names";
import type { ClusterDescription, Operation } from "./operation";

/*
 * A run carries out one request. Settings and labels go along with anything, and a repair comes before a request; what else two programs differ by stands in the table
 * of pairs.
 */

/** The requests that a run can carry out. Each part: how a message names it in the run; undefined: the program does not request it. */
const requests = {
    etcdRestore: ({ newInput }) => newInput("etcdRestore.run"),
    heal: ({ requested }) => requested("heal"),
    "healed control-plane nodes": ({ healed }) => healed("controlPlane"),
    "healed workers": ({ healed }) => healed("worker"),
    replaceServers: ({ requested }) => requested("replaceServers"),
    "control-plane nodes": ({ members }) => members("controlPlane"),
    workers: ({ members }) => members("worker"),
    "controlPlane.endpoint": ({ changes }) => changes("endpoint"),
    "kubernetes.version": ({ changes }) => changes("kubernetesVersion"),
    "os.upgrade": ({ newInput }) => newInput("os.upgrade"),
    "rotate.encryptionKey": ({ newInput }) => newInput("rotate.encryptionKey"),
    "rotate.serviceAccountKey": ({ newInput }) => newInput("rotate.serviceAccountKey"),
    "rotate.authorities": ({ newInput }) => newInput("rotate.authorities"),
} satisfies Record<string, (run: Run) => string | undefined>;

export type RequestName = keyof typeof requests;

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
        second: ["replaceServers", "os.upgrade", ...rotations],
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
        first: [...healed, "replaceServers", ...members],
        second: ["controlPlane.endpoint"],
        why: "the nodes that stay serve and use both endpoints for a while, and a node that comes or goes knows one of them",
    },
    {
        first: ["replaceServers", ...members, "controlPlane.endpoint", "kubernetes.version"],
        second: ["os.upgrade", ...rotations],
        why: "it acts on all nodes, so these are to be there and at rest",
    },
    { first: rotations, second: ["os.upgrade"], why: "a machine that reboots would stop the rotation in its middle" },
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
    const open = found.filter(({ name }) => !restores || !ofRestore.includes(name));
    return open.flatMap(first =>
        open.flatMap(second => {
            const row = rowOf(first.name, second.name);
            if (row === undefined) return [];
            return [
                `${first.what} and ${second.what} cannot be done in one run: ${row.why}. First ${first.what}, then ${second.what} with a pulumi up of its own; nothing was touched`,
            ];
        }),
    );
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
                "the heal",
                all("replaced").filter(name => is(role)(name) && !names.replaceServers.includes(name)),
            ),
        requested: request => named(request, names[request]),
    };
}
