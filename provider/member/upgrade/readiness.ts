import type { EtcdMember } from "../../kubeadm/etcd-members";
import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import { lookAtMembers } from "../../kubeadm/look";
import { containerdVerdict, minorOf } from "../../kubernetes/releases";
import type { Connection } from "../../ssh/types";
import { query } from "../../steps/query";
import { isTooOldFor, moveBetween } from "./versions";

/** What the cluster says before its nodes move to another version. */
export interface ClusterReadiness {
    /** By name. `containerd`: its version, "2.4.2"; undefined: another container runtime. */
    nodes: Record<string, { version: string; ready: boolean; containerd?: string }>;
    /** The version in kubeadm's configuration of the cluster. */
    cluster: string;
    etcd: Pick<EtcdMember, "name" | "healthy" | "isLearner">[];
    /** Those that can never allow an eviction: all of their pods must be there. */
    rigidBudgets: string[];
    /** "cronjobs.v1beta1.batch" → the minor that removes it. */
    deprecated: Record<string, number>;
    /** By node: how much of its disk is free, of kubelet's and of the images', as shares. Empty: not asked. */
    disks: Record<string, { node: number; images: number }>;
}

/** The command that asks; fake nodes in tests recognise it. */
export const readinessArgv: readonly string[] = ["sh", "-s", "pulumi-nfv-readiness"];

const script = kubeadmScript("member/upgrade/print-readiness.sh");

export interface ReadinessQuestion {
    /** Of all API servers. */
    addresses: readonly string[];
    /** Which removed APIs are still asked for. */
    deprecated: boolean;
    /** How full the nodes' disks are. @default false */
    disks?: boolean;
    signal?: AbortSignal;
}

export async function lookAtReadiness(master: Connection, asked: ReadinessQuestion): Promise<ClusterReadiness> {
    const { addresses, deprecated, disks, signal } = asked;
    const env = { ADDRESSES: addresses.join("\n"), DEPRECATED: deprecated ? "yes" : "", DISKS: disks ? "yes" : "" };
    const step = "look whether the cluster can be upgraded";
    const said = await query(master, { step, script, argv: readinessArgv, env, timeoutSeconds: 90, signal });
    const enough = (members: readonly EtcdMember[]) => members.every(({ healthy }) => healthy);
    return parseReadiness(said, await lookAtMembers(master, undefined, { signal, enough }));
}

export function parseReadiness(text: string, etcd: ClusterReadiness["etcd"]): ClusterReadiness {
    const rows = text.split("\n").map(line => line.trim().split(/\s+/));
    const of = (kind: string) => rows.filter(([first]) => first === kind).map(([, ...rest]) => rest);
    const budgets = of("budget").filter(([, expected, desired]) => Number(expected) > 0 && desired === expected);
    const deprecated = of("deprecated").filter(([removed]) => /^\d+\.\d+$/.test(removed ?? ""));
    return {
        nodes: Object.fromEntries(
            of("node").map(([name, version = "", ready, runtime = ""]) => {
                const [, containerd] = /^containerd:\/\/v?([\d.]+)/.exec(runtime) ?? [];
                const facts = { version: version.replace(/^v/, ""), ready: ready === "True" };
                return [name!, { ...facts, ...(containerd !== undefined && { containerd }) }];
            }),
        ),
        cluster: of("cluster")[0]?.[0] ?? "",
        etcd,
        rigidBudgets: budgets.map(([name]) => name!),
        deprecated: Object.fromEntries(deprecated.map(([removed, what]) => [what!, minorOf(`${removed}.0`)])),
        disks: Object.fromEntries(
            of("disk").flatMap(([name, ...bytes]) => {
                const [free, all, imagesFree, imagesAll] = bytes.map(Number) as [number, number, number, number];
                return all > 0 && imagesAll > 0 ? [[name!, { node: free / all, images: imagesFree / imagesAll }]] : [];
            }),
        ),
    };
}

/** Whether nodes move already: the cluster has the version, or one of its nodes. */
export const hasBegun = ({ cluster, nodes }: ClusterReadiness, to: string): boolean =>
    cluster === to || Object.values(nodes).some(({ version }) => version === to);

export interface ClusterMove {
    to: string;
    /** How pods leave a node whose time is up; "delete" passes each budget. */
    policy: string;
    /** Nodes that move: what is wrong with them does not count, because the move may put it right. */
    moving?: readonly string[];
    /** containerd comes from this run's bundle: the version that a node has now does not count. */
    runtimeFromBundle?: boolean | undefined;
}

/** Nodes that would stop a move, unless they are halfway through it themselves. Pure. */
export function suspectsOf({ nodes, etcd }: ClusterReadiness): string[] {
    const dead = Object.keys(nodes).filter(name => !nodes[name]!.ready);
    const sick = etcd.filter(({ healthy, isLearner }) => !healthy || isLearner).map(({ name }) => name);
    return [...new Set([...dead, ...sick])];
}

/** What must be put right before nodes of this cluster move to another version; empty: nothing. Pure. */
export function problemsOf(
    found: ClusterReadiness,
    { to, policy, moving = [], runtimeFromBundle }: ClusterMove,
): string[] {
    const { nodes, cluster, etcd, rigidBudgets, deprecated } = found;
    const begun = hasBegun(found, to);
    const versions = Object.entries(nodes).map(([name, { version }]) => [name, version] as const);
    const higher = [["the cluster", cluster] as const, ...versions].filter(
        ([, version]) => version !== "" && ["back", "downgrade"].includes(moveBetween(version, to)),
    );
    // A node that moves may be one that fails with it.
    const dead = begun ? [] : Object.keys(nodes).filter(name => !moving.includes(name) && !nodes[name]!.ready);
    const sick = etcd.filter(({ name, healthy, isLearner }) => !moving.includes(name) && (!healthy || isLearner));
    const tooFar = moveBetween(cluster, to) === "jump" && cluster !== "";
    const tooOld = versions.filter(([, version]) => isTooOldFor(version, to));
    const removed = Object.keys(deprecated).filter(each => deprecated[each]! <= minorOf(to));
    const oldRuntime = Object.entries(nodes).flatMap(([name, { containerd = "" }]) => {
        const { problem } = containerdVerdict(containerd, to);
        return problem === undefined || runtimeFromBundle ? [] : [`${name}: ${problem}`];
    });
    const rows: [boolean, string][] = [
        [
            higher.length > 0 && (!begun || higher.some(([, version]) => moveBetween(version, to) === "downgrade")),
            `${named(higher)}: ${to} is earlier. Only an upgrade that is not finished can be taken back, and only within its minor version. The data from before it is on the control-plane nodes: docs/upgrade.md#the-way-back`,
        ],
        [tooFar, `the cluster is at ${cluster}: go minor by minor to ${to}`],
        [
            dead.length > 0,
            `not Ready: ${dead.join(", ")}. Start them, or heal them if they are lost (nfv heal), with this version left in the program`,
        ],
        [
            sick.length > 0,
            `members of etcd that are not healthy: ${sick.map(({ name }) => name || "one without a name").join(", ")}. Start them, or heal them if they are lost (nfv heal), with this version left in the program: etcd restarts on one control-plane node after another`,
        ],
        [
            tooOld.length > 0,
            `kubelet is too old for API servers of ${to}: ${named(tooOld)}. Bring these nodes to a later version first`,
        ],
        [
            rigidBudgets.length > 0 && policy !== "delete",
            `PodDisruptionBudgets that can never let a pod go: ${rigidBudgets.join(", ")}. Give them more pods or a lower minAvailable; or drain: { policy: "delete" } deletes these pods when the time is up`,
        ],
        [
            removed.length > 0,
            `APIs that ${to} no longer has, and that were asked for since the API servers started: ${removed.join(", ")}. Change what asks for them (the audit log names it)`,
        ],
        [oldRuntime.length > 0, oldRuntime.join("; ")],
    ];
    return rows.filter(([is]) => is).map(([, text]) => text);
}

/** Nodes whose containerd works with this version, but not with the next minor, each with what to do. Pure. */
export function runtimeWarnings({ nodes }: Pick<ClusterReadiness, "nodes">, to: string): string[] {
    const byWarning = new Map<string, string[]>();
    for (const [name, { containerd = "" }] of Object.entries(nodes)) {
        const { warning } = containerdVerdict(containerd, to);
        if (warning !== undefined) byWarning.set(warning, [...(byWarning.get(warning) ?? []), name]);
    }
    return [...byWarning].map(([warning, names]) => `${names.join(", ")}: ${warning}`);
}

/** Nodes on which kubelet, with its own defaults, deletes images that no container uses yet, such as those of the new version. Pure. */
export function fullNodes({ disks }: Pick<ClusterReadiness, "disks">): string[] {
    const full = Object.entries(disks).filter(([, { node, images }]) => images < 0.15 || node < 0.1);
    return full.map(([name, { node, images }]) => `${name} (${Math.floor(100 * Math.min(node, images))} % free)`);
}

function named(nodes: readonly (readonly [string, string])[]): string {
    return nodes.map(([name, version]) => `${name} ${version}`).join(", ");
}
