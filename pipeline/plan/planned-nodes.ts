import { disruptionOf } from "../../provider/cluster/known-steps";
import { sameUrn } from "../../provider/contract/run-facts";
import { anything, onlyKeeps, type PlannedAct, plannedActs } from "../../provider/member/planned-acts";
import { switchVersion } from "../../provider/member/upgrade/switch-version";
import type { UpgradeTurn } from "../../provider/member/upgrade/upgrade-turn";
import { inNaturalOrder } from "../../provider/operation/names";
import { unknownFingerprint } from "../../provider/steps/fingerprint";
import { groupOf, nodesIn } from "./described-nodes";
import type { Entry, ResourceList } from "./planned-resources";
import { opened, specOf } from "./urns";

/** What happens to a node. `rejoin`: it leaves and joins again on the same machine; `new machine`: on another one. */
export type Change = "joins" | "leaves" | "rejoins" | "new machine" | "changes";

export interface PlannedNode {
    /** Name of the cluster's resource. */
    cluster: string;
    node: string;
    /** `controlPlane`, or the name of its pool. */
    group: string;
    change: Change;
    /** At most these run, with their fingerprints; "to do": the fingerprint is not known yet. Repairs are among them: drift that is put back, cures, certificates that are due. */
    steps: { title: string; fingerprint: string }[];
    /** What is interrupted for those who use the cluster; empty: nothing. */
    disruptions: string[];
    /** URNs of its resources that are replaced or deleted; undefined: none is. */
    replaces?: string[];
    /** How long it took in former runs, in seconds; undefined: not all of it was recorded. Not part of the hash. */
    usualSeconds?: number;
}

const switching = "it switches to Kubernetes";

export const nodeKey = ({ cluster, node }: Pick<PlannedNode, "cluster" | "node">) => `${cluster}/${node}`;

/** Whether the node moves to another version. Pure. */
export const switchesVersion = ({ disruptions }: Pick<PlannedNode, "disruptions">): boolean =>
    disruptions.some(text => text.startsWith(`${switching} `));

/** Nodes that something happens to, in natural order. Pure. */
export function plannedNodes(list: ResourceList): PlannedNode[] {
    const starts = list.ofType("OperationStart");
    const groups = new Map(starts.map(start => [start.cluster, groupsOf(start)]));
    const ending = new Set(starts.filter(({ act }) => act === "delete").map(({ cluster }) => cluster));
    const parts = new Map<string, { host?: Entry; node?: Entry; cluster: string; name: string }>();
    for (const entry of [...list.ofType("Host"), ...list.ofType("Node")]) {
        const name = nodeOf(entry);
        const key = JSON.stringify([entry.cluster, name]);
        const known = parts.get(key) ?? { cluster: entry.cluster, name };
        parts.set(key, { ...known, [entry.type === "Host" ? "host" : "node"]: entry });
    }
    return [...parts.values()]
        .flatMap(({ host, node, cluster, name }): PlannedNode[] => {
            const change = changeOf(host, node);
            if (change === undefined) return [];
            const group = groups.get(cluster)?.get(name) ?? groupOf(specs(node ?? host!));
            const acts = actsOf(change, [host, node]);
            const steps = acts.map(({ title, fingerprint = unknownFingerprint }) => ({ title, fingerprint }));
            const replaces = [host, node].flatMap(each =>
                each?.act === "replace" || each?.act === "delete" ? [each.urn] : [],
            );
            return [
                {
                    ...{ cluster, node: name, group, change, steps },
                    disruptions: ending.has(cluster) ? [endsWithCluster] : disruptionsOf(change, acts, node),
                    ...(replaces.length > 0 && { replaces }),
                },
            ];
        })
        .sort((a, b) => inNaturalOrder(a.cluster, b.cluster) || inNaturalOrder(a.node, b.node));
}

function changeOf(host: Entry | undefined, node: Entry | undefined): Change | undefined {
    const [machine, member] = [host?.act, node?.act];
    if (member === "create" && (machine === "create" || machine === undefined || machine === "update")) return "joins";
    if (member === "delete") return "leaves";
    if (machine === "replace" || member === "create") return "new machine";
    if (member === "replace") return "rejoins";
    if (machine === "delete") return "leaves";
    if (machine === "create") return "joins";
    return machine === "update" || member === "update" ? "changes" : undefined;
}

function groupsOf({ old, new: next }: Entry): Map<string, string> {
    const described = { ...nodesIn(old?.inputs), ...nodesIn(next?.inputs) };
    return new Map(Object.entries(described).map(([name, each]) => [name, groupOf(each)]));
}

const specs = ({ new: next, old }: Entry) => specOf(next?.inputs) ?? specOf(old?.inputs) ?? {};

function nodeOf(entry: Entry): string {
    const { name } = specs(entry);
    return typeof name === "string" ? name : entry.name;
}

function actsOf(change: Change, parts: readonly (Entry | undefined)[]): PlannedAct[] {
    if (change === "leaves") return [];
    const all = parts.flatMap(part =>
        part === undefined ? [] : part.act === "update" ? updateOf(part) : stepsOf(part),
    );
    // Of a machine and its membership, the same reason counts once.
    return all.filter(({ title }, i) => all.findIndex(each => each.title === title) === i);
}

/** All steps of what is made. */
function stepsOf({ act, new: next }: Entry): PlannedAct[] {
    if (act === undefined) return [];
    const wanted = Object.entries(opened(specOf(next?.inputs)?.["steps"]) ?? {});
    return wanted.map(([title, fingerprint]) => ({ title, fingerprint: String(fingerprint) }));
}

/** Of an update whose reason the plan does not know, nobody can say what it interrupts. */
function updateOf({ urn, old, new: next }: Entry): PlannedAct[] {
    const [state, asked] = [old?.outputs ?? {}, next?.inputs ?? {}];
    const acts = plannedActs(state, asked);
    if (acts.length > 0 || onlyKeeps(old?.inputs ?? {}, asked) || !sameUrn(urnIn(state) ?? urn, urn)) return acts;
    return [anything("changes for a reason that the plan does not know")];
}

function urnIn(state: Record<string, unknown>): string | undefined {
    const urn = specOf(state)?.["resourceUrn"];
    return typeof urn === "string" ? urn : undefined;
}

const ofChange: Partial<Record<Change, string>> = {
    leaves: "its pods move to other nodes",
    rejoins: "its pods move to other nodes, then it joins again",
    "new machine": "its pods end or move to other nodes, then a new machine joins",
};

const endsWithCluster = "its pods end: the whole cluster goes";

function disruptionsOf(change: Change, acts: readonly PlannedAct[], node: Entry | undefined): string[] {
    if (change === "joins") return [];
    const whole = ofChange[change];
    if (whole !== undefined) return [whole];
    return [...switchesTo(acts, node), ...new Set(acts.flatMap(act => disruptionOf(act) ?? []))];
}

/** The inputs have the wanted version also where the last run held the node back, and the machine may have another one than either: the step tells. */
function switchesTo(acts: readonly PlannedAct[], node: Entry | undefined): string[] {
    if (node?.act !== "update") return [];
    const [before, after] = [node.old, node.new].map(each => specOf(each?.inputs)?.["kubernetesVersion"]);
    const { holds } = (node.new?.inputs?.["upgradeTurn"] ?? {}) as UpgradeTurn;
    const switches = before !== after || (!holds && acts.some(({ title }) => title === switchVersion.row.title));
    return switches ? [`${switching} ${String(after)}: kubelet and static pods restart`] : [];
}
