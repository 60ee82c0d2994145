import type { EngineEvent } from "@pulumi/pulumi/automation";
import { unknownValue } from "../../provider/common/unknown-value";
import { isOfOneNode } from "../../provider/operation/api-during-upgrade";
import { inNaturalOrder, naturally } from "../../provider/operation/names";
import { groupOf, nodesIn } from "./described-nodes";
import type { InputHashes } from "./exchange";
import { type OperationName, operationsIn } from "./operation-names";
import type { Estimate, PastRun, Service } from "./outlook";
import { planHash } from "./plan-hash";
import { type PlannedDisruption, plannedDisruptions } from "./planned-disruptions";
import { type PlannedNode, plannedNodes, switchesVersion } from "./planned-nodes";
import { type PlannedResource, ResourceList } from "./planned-resources";
import { serviceOf } from "./service";
import { opened, specOf } from "./urns";

/** What an `up` or a `destroy` would do, made of the events of its preview. */
export interface Plan {
    stack: string;
    /** Operations of all clusters of the stack; empty: no cluster changes. */
    operations: PlannedOperation[];
    /** Nodes that something happens to, in natural order. */
    nodes: PlannedNode[];
    /** What resources interrupt that are none of a node. Missing: nothing. */
    interrupts?: PlannedDisruption[];
    /** By cluster's resource, then group (`controlPlane`, or the name of a pool): names of its nodes, of those before or after the run. */
    groups: Record<string, Record<string, string[]>>;
    /** By cluster's resource: what the program wants. */
    wanted: Record<string, WantedCluster>;
    /** All other resources that are acted on. */
    resources: PlannedResource[];
    /** Of the preview. */
    warnings: string[];
    /** Resources with secret inputs that the hash does not cover, and that may become others. Missing: there are none. */
    uncovered?: string[];
    /** By cluster's resource: what its users notice. Missing: it does not follow from the plan, or nothing is changed. Not part of the hash. */
    service?: Record<string, Service>;
    /** By cluster's resource: the address of its API, where the plan knows it. Not part of the hash. */
    endpoints?: Record<string, string>;
    /** How long such a run usually takes. Missing: not all of it was recorded. Not part of the hash. */
    estimate?: Estimate;
    /** The last run with the same operations, if it is recorded. Not part of the hash. */
    lastRun?: PastRun;
    /** Versions of Kubernetes to which the same run goes on. Part of the hash. */
    followedBy?: readonly string[];
    /** Of operations, nodes, interrupts, groups, wanted and resources. Two previews of the same state and program have the same. */
    hash: string;
}

export interface PlannedOperation {
    /** Name of the cluster's resource. */
    cluster: string;
    names: OperationName[];
    /** As in `pulumi preview`: "scale out workers +1 (w3)". */
    text: string;
    /** A former run did not finish it. */
    continues?: true;
}

export interface WantedCluster {
    kubernetesVersion?: string;
    /** Names of nodes by group. */
    groups: Record<string, string[]>;
}

/** Reads the plan from all events of a preview. `hashes`: of secret inputs, which the events do not show. Pure. */
export function planOf(
    stack: string,
    events: readonly EngineEvent[],
    warnings: readonly string[] = [],
    hashes: InputHashes = new Map(),
): Plan {
    const list = resourcesOf(events);
    const starts = list.ofType("OperationStart");
    const nodes = plannedNodes(list);
    const described = starts.map(start => ({
        cluster: start.cluster,
        before: nodesIn(start.old?.outputs ?? start.old?.inputs),
        after: start.act === "delete" ? {} : nodesIn(start.new?.inputs),
    }));
    const operations = inOrder(starts).flatMap(start => {
        const changed = nodes.filter(({ cluster }) => cluster === start.cluster);
        const end = list.ofType("OperationEnd").find(({ cluster }) => cluster === start.cluster);
        return operationOf(start, end?.act !== undefined, changed);
    });
    const groups = Object.fromEntries(
        described.map(({ cluster, before, after }) => [cluster, grouped({ ...before, ...after })]),
    );
    const interrupts = plannedDisruptions(list.acted(), groups, nodes);
    const content = {
        stack,
        operations: [...operations, ...ofResources(operations, interrupts)],
        nodes,
        ...(interrupts.length > 0 && { interrupts }),
        groups,
        wanted: Object.fromEntries(
            starts
                .filter(({ act }) => act !== "delete")
                .map(start => [
                    start.cluster,
                    wantedOf(start, described.find(d => d.cluster === start.cluster)!.after),
                ]),
        ),
        resources: list.others(),
    };
    // Pulumi takes the name also with organisation and project before it.
    const hash = planHash({ ...content, stack: stack.split("/").at(-1) }, list.fingerprint(hashes));
    const uncovered = list.uncovered(hashes);
    const plan = {
        ...content,
        warnings: [...new Set(warnings)],
        ...(uncovered.length > 0 && { uncovered }),
        hash,
    };
    const service = serviceOf(plan, sharedEndpoints(starts));
    const endpoints = endpointsOf(list.ofType("Host"));
    return {
        ...plan,
        ...(Object.keys(service).length > 0 && { service }),
        ...(Object.keys(endpoints).length > 0 && { endpoints }),
    };
}

/** URNs, names and types of all resources of a preview, also of those that stay as they are. Pure. */
export function wordsIn(events: readonly EngineEvent[]): string[] {
    return resourcesOf(events).words();
}

/** Pure. */
export function resourcesOf(events: readonly EngineEvent[]): ResourceList {
    const list = new ResourceList();
    for (const { resourcePreEvent } of events) if (resourcePreEvent) list.add(resourcePreEvent.metadata);
    return list;
}

/** Events of several clusters come in any order. */
const inOrder = (starts: readonly Start[]) => [...starts].sort((a, b) => inNaturalOrder(a.cluster, b.cluster));

type Start = ReturnType<ResourceList["ofType"]>[number];

function operationOf(
    { act, cluster, old, new: next }: Start,
    endActs: boolean,
    changed: readonly PlannedNode[],
): PlannedOperation[] {
    const [before, after] = [old?.inputs ?? {}, next?.inputs ?? {}];
    if (act === "delete") return [{ cluster, names: ["terminate"], text: "terminate" }];
    const text = String(after["operation"] ?? "");
    const isNew = act === "create" || Number(after["operations"]) !== Number(before["operations"]);
    if (isNew && text !== "") return [{ cluster, names: operationsIn(text), text }];
    // Nodes that a former run's operation took out leave behind its end.
    const described = { ...nodesIn(before), ...nodesIn(after) };
    const goesOn = (each: PlannedNode) => endActs || (each.change === "leaves" && !(each.node in described));
    const [late, again] = [changed.filter(goesOn), changed.filter(each => text === "" || !goesOn(each))];
    return [
        ...(late.length > 0 && text !== ""
            ? [{ cluster, names: operationsIn(text), text, continues: true as const }]
            : []),
        ...(again.some(switchesVersion)
            ? [{ cluster, names: ["change_current_package" as const], text: moveGoesOn, continues: true as const }]
            : []),
        ...(again.some(each => !switchesVersion(each))
            ? [{ cluster, names: ["modify_information" as const], text: doneAgain }]
            : []),
    ];
}

/** A restore is an operation of its own. What else interrupts nodes without a change of the program is the second half of one. */
function ofResources(known: readonly PlannedOperation[], interrupts: readonly PlannedDisruption[]): PlannedOperation[] {
    return interrupts.flatMap(({ cluster, resource }): PlannedOperation[] => {
        if (resource.startsWith("EtcdRestore "))
            return [{ cluster, names: ["restore"], text: "a snapshot of etcd comes back" }];
        if (known.some(each => each.cluster === cluster)) return [];
        return [{ cluster, names: ["modify_information"], text: `${resource} goes on` }];
    });
}

/** Clusters whose endpoint is none of a single node. */
function sharedEndpoints(starts: readonly Start[]): Set<string> {
    const endpointOf = ({ new: next }: Start) => specOf(next?.inputs)?.["endpoint"];
    const shared = starts.filter(start => {
        const endpoint = endpointOf(start);
        return typeof endpoint === "string" && !isOfOneNode(endpoint);
    });
    return new Set(shared.map(({ cluster }) => cluster));
}

/** By cluster: what clients connect to, as its machines know it. */
function endpointsOf(hosts: readonly Start[]): Record<string, string> {
    return Object.fromEntries(
        hosts.flatMap(({ cluster, new: next, old }) => {
            const { host, port, hostsEntry } =
                opened((specOf(next?.inputs) ?? specOf(old?.inputs))?.["endpoint"]) ?? {};
            // A name that only nodes know helps nobody else.
            const address = opened(hostsEntry)?.["address"] ?? host;
            const isKnown =
                typeof address === "string" && ![address, port].includes(unknownValue) && port !== undefined;
            return isKnown ? [[cluster, `https://${address}:${String(port)}`]] : [];
        }),
    );
}

type Described = ReturnType<typeof nodesIn>;

function wantedOf({ new: next }: Start, nodes: Described): WantedCluster {
    const version = specOf(next?.inputs)?.["kubernetesVersion"];
    return { ...(typeof version === "string" && { kubernetesVersion: version }), groups: grouped(nodes) };
}

/** Names by group, in natural order. */
function grouped(nodes: Described): Record<string, string[]> {
    const groups: Record<string, string[]> = {};
    for (const name of naturally(Object.keys(nodes))) {
        const group = groupOf(nodes[name]!);
        groups[group] = [...(groups[group] ?? []), name];
    }
    return groups;
}

/** The operation of nodes that waited while another one was healed: the run that healed it has ended. */
const moveGoesOn = "nodes go on to another version of Kubernetes";

/** The operation of a plan in which nodes change and the program does not. */
const doneAgain = "steps of nodes are done again";

/** Without what a refresh has found and a former run has left. Pure. */
export function withoutRepairs(plan: Plan): Plan {
    return { ...plan, operations: plan.operations.filter(({ text }) => text !== doneAgain) };
}

/** True if the run would do nothing. */
export function isEmpty({ nodes, resources, operations }: Plan): boolean {
    return nodes.length + resources.length + operations.length === 0;
}
