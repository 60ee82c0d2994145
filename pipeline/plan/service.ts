import { descriptorOf } from "../../provider/adapters/descriptors";
import { disruptionOf, stepOf } from "../../provider/cluster/known-steps";
import { listed } from "../../provider/operation/names";
import type { OperationName } from "./operation-names";
import type { Service } from "./outlook";
import { type PlannedNode, switchesVersion } from "./planned-nodes";
import type { PlannedResource } from "./planned-resources";

/** The parts of a plan that say it. */
export interface Acted {
    operations: readonly { cluster: string; names: readonly OperationName[] }[];
    nodes: readonly PlannedNode[];
    groups: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
    resources: readonly PlannedResource[];
}

interface Effect {
    /** What it does to the API server of its machine. */
    api: "none" | "restarts" | "unknown";
    /** What it does to pods of its machine that are none of the control plane. */
    pods: "none" | "move" | "unknown";
}

/** What a whole change of a node does. */
const changeEffects: Readonly<Record<PlannedNode["change"], Effect | undefined>> = {
    joins: { api: "none", pods: "none" },
    leaves: { api: "restarts", pods: "move" },
    rejoins: { api: "restarts", pods: "move" },
    // The former machine may be gone already, with its pods.
    "new machine": { api: "restarts", pods: "unknown" },
    changes: undefined,
};

/** kubeadm replaces the static pods, and the node is drained before kubelet restarts. */
const switching: Effect = { api: "restarts", pods: "move" };

/** Operations about which the steps of nodes say too little. */
const unclear: readonly OperationName[] = ["change_external_connectivity", "rollback", "terminate"];

const ofOthers = /^kubernetes:/;
/** A node's machine in the cloud: what its coming and going means is said of the node. */
const machineParts = /^openstack:(?:compute\/instance:|networking\/port:|blockstorage\/volume:|compute\/volumeAttach:)/;

function isHarmless({ type, act }: PlannedResource): boolean {
    if (descriptorOf(type)?.inPlan === "harmless" || ofOthers.test(type)) return true;
    return machineParts.test(type) && act !== "update";
}

/** By cluster's resource. `shared`: clusters whose endpoint does not depend on one node. Pure. */
export function serviceOf(plan: Acted, shared: ReadonlySet<string>): Record<string, Service> {
    if (!plan.resources.every(isHarmless)) return {};
    return Object.fromEntries(
        plan.operations.flatMap(({ cluster }) => {
            const operations = plan.operations.filter(each => each.cluster === cluster);
            const names = operations.flatMap(each => each.names);
            const isUnclear = names.length === 0 || names.some(name => unclear.includes(name));
            const nodes = plan.nodes.filter(each => each.cluster === cluster);
            const isNew = names.includes("instantiate");
            if (isUnclear || isNew) return [];
            const reboots = plan.resources.some(
                ({ type, name, act }) => descriptorOf(type)?.reboots && name === cluster && act !== "delete",
            );
            if (reboots) return ofReboots(cluster, nodes, plan.groups[cluster] ?? {}, shared);
            const service = ofCluster(nodes, plan.groups[cluster] ?? {}, shared.has(cluster));
            return Object.keys(service).length > 0 ? [[cluster, service] as const] : [];
        }),
    );
}

/** Nodes reboot one after another. From which of them pods move is known when they have been asked. */
function ofReboots(
    cluster: string,
    nodes: readonly PlannedNode[],
    { controlPlane = [] }: Readonly<Record<string, readonly string[]>>,
    shared: ReadonlySet<string>,
): [string, Service][] {
    if (nodes.some(({ group, change }) => group === "controlPlane" && change !== "changes")) return [];
    if (controlPlane.length > 2 && !shared.has(cluster)) return [];
    return [[cluster, { api: controlPlane.length < 3 ? "interrupted" : "available" }]];
}

function ofCluster(
    nodes: readonly PlannedNode[],
    groups: Readonly<Record<string, readonly string[]>>,
    isShared: boolean,
): Service {
    const effects = nodes.map(node => ({ node, effect: effectOf(node) }));
    const masters = effects.filter(({ node }) => node.group === "controlPlane");
    const api = apiOf(masters, groups["controlPlane"] ?? [], isShared);
    const moving = effects.filter(({ effect }) => effect.pods === "move").map(({ node }) => node.node);
    const isKnown = effects.every(({ effect }) => effect.pods !== "unknown");
    return { ...(api && { api }), ...(isKnown && { podsMoveFrom: moving }) };
}

interface Affected {
    node: PlannedNode;
    effect: Effect;
}

/**
 * Control-plane nodes are interrupted one after another. One of three can be spared; of two members of etcd none can, and one alone is the API. A change of their
 * number is not judged.
 */
function apiOf(masters: readonly Affected[], names: readonly string[], isShared: boolean): Service["api"] {
    if (names.length === 0 || masters.some(({ effect }) => effect.api === "unknown")) return undefined;
    const hit = masters.filter(({ effect }) => effect.api === "restarts");
    if (hit.length === 0)
        return masters.some(({ node }) => node.change === "joins") && !isShared ? undefined : "available";
    if (masters.some(({ node }) => node.change === "joins" || node.change === "leaves")) return undefined;
    if (names.length < 3) return "interrupted";
    return isShared ? "available" : undefined;
}

function effectOf(node: PlannedNode): Effect {
    const { change, steps, disruptions: said } = node;
    const whole = changeEffects[change];
    if (whole !== undefined) return whole;
    if (switchesVersion(node)) return switching;
    const known = steps.flatMap(step => disruptionOf(step) ?? []);
    if (!said.every(text => known.includes(text))) return { api: "unknown", pods: "unknown" };
    const effects = steps.flatMap(({ title }) => stepOf(title)?.api ?? []);
    // A step alone moves no pod to another node.
    return { api: effects.find(api => api === "unknown") ?? effects[0] ?? "none", pods: "none" };
}

/** "API of the cluster available throughout; pods of w1 move once". Empty: nothing is known. Pure. */
export function serviceText({ api, podsMoveFrom }: Service): string[] {
    const apiText = {
        available: "API of the cluster available throughout",
        interrupted: "API of the cluster interrupted while its control-plane nodes change",
    };
    return [...(api ? [apiText[api]] : []), ...(podsMoveFrom ? [podsText(podsMoveFrom)] : [])];
}

function podsText(nodes: readonly string[]): string {
    if (nodes.length === 0) return "no pod moves";
    // Pods of the first one may go to the second one, and leave that, too.
    return nodes.length === 1 ? `pods of ${nodes[0]} move once` : `pods of ${listed(nodes)} move`;
}
