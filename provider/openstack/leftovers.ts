import { NfvError } from "../common/errors";
import { listVolumes } from "./cinder";
import { type CloudClient, CloudRefused } from "./client";
import { listFloatingIps, listPorts, listSecurityGroups } from "./neutron";

/**
 * A thing that Kubernetes made in the cloud: volumes by Cinder CSI; load balancers with their parts by the cloud
 * controller manager. No program has it in its state, so nobody else deletes it with the cluster.
 */
export interface Leftover {
    kind: "load balancer" | "floating IP" | "port" | "security group" | "volume";
    id: string;
    name: string;
    /** Why it is still in use and therefore not deleted. */
    inUse?: string;
}

/** In the order in which they can be deleted. */
const order: readonly Leftover["kind"][] = ["load balancer", "floating IP", "port", "security group", "volume"];

/** Metadata key under which Cinder CSI writes its option --cluster: the cluster's id. */
const csiKey = "cinder.csi.openstack.org/cluster";

/**
 * Finds them by the cluster's id, which our cloud controller manager and Cinder CSI write everywhere. The name is not
 * enough: upstream's default is "kubernetes" for every cluster in the project. A service that the cloud does not have
 * gives none.
 */
export async function findLeftovers(cloud: CloudClient, clusterId: string): Promise<Leftover[]> {
    // A partial or empty id would match what others own: a volume without metadata has an empty one.
    if (!isClusterId(clusterId)) {
        throw new NfvError({ code: "INVALID_INPUT", cause: `"${clusterId}" is not the id of a cluster` });
    }
    const balancers = await loadBalancers(cloud, clusterId);
    const found = await Promise.all([networkThings(cloud, clusterId, balancers), volumes(cloud, clusterId)]);
    return [...balancers, ...found.flat()].sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
}

/** "core-1a2b3c4d", the form that the cluster's identity creates. */
function isClusterId(text: unknown): boolean {
    return typeof text === "string" && /^.+-[0-9a-f]{8}$/.test(text);
}

interface BalancerLeft extends Leftover {
    /** Id of the port that has its address. */
    port?: string;
}

/**
 * The controller manager tags a load balancer with the names of all Services that use it. Other clusters' Services may
 * still need it.
 */
async function loadBalancers(cloud: CloudClient, clusterId: string): Promise<BalancerLeft[]> {
    if (!(await cloud.has("load-balancer"))) return [];
    type Balancer = { id: string; name: string; provisioning_status: string; vip_port_id?: string; tags?: string[] };
    const all = await cloud.list<Balancer>("load-balancer", "/lbaas/loadbalancers", "loadbalancers");
    return all
        .filter(({ name, provisioning_status }) => isService(name, clusterId) && provisioning_status !== "DELETED")
        .map(({ id, name, vip_port_id, tags }) => {
            const others = (tags ?? []).filter(tag => isService(tag) && !isService(tag, clusterId));
            return {
                kind: "load balancer" as const,
                id,
                name,
                ...(vip_port_id && { port: vip_port_id }),
                ...(others.length > 0 && { inUse: `shared with Services of other clusters: ${others.join(", ")}` }),
            };
        });
}

/** With clusterId only Services of that cluster, otherwise of any. */
function isService(name: string, clusterId?: string): boolean {
    return name.startsWith(clusterId === undefined ? "kube_service_" : `kube_service_${clusterId}_`);
}

/**
 * Descriptions that the controller manager writes. A floating IP that a user reserved keeps its description when it is
 * attached.
 */
const descriptions = {
    floatingIp: (clusterId: string) => ["Floating IP for Kubernetes external service ", ` from cluster ${clusterId}`],
    securityGroup: (clusterId: string) => ["Security Group for ", ` Service LoadBalancer in cluster ${clusterId}`],
};

function isDescribed(text: string | undefined, [start, end]: string[]): boolean {
    return text?.startsWith(start!) === true && text.endsWith(end!);
}

async function networkThings(
    cloud: CloudClient,
    clusterId: string,
    balancers: readonly BalancerLeft[],
): Promise<Leftover[]> {
    const [floatingIps, ports, groups] = await Promise.all([
        listFloatingIps(cloud),
        listPorts(cloud),
        listSecurityGroups(cloud),
    ]);
    const ofBalancers = ports.filter(port => isService(port.name.replace(/^octavia-lb-/, ""), clusterId));
    const shared = balancers.filter(({ inUse }) => inUse !== undefined);
    return [
        ...floatingIps
            .filter(ip => isDescribed(ip.description, descriptions.floatingIp(clusterId)))
            .map(ip => {
                const balancer = shared.find(({ port }) => port !== undefined && port === ip.port_id);
                const inUse = balancer && { inUse: `on the shared load balancer ${balancer.name}` };
                return { kind: "floating IP" as const, id: ip.id, name: ip.floating_ip_address, ...inUse };
            }),
        // Octavia deletes the ports that it owns together with the load balancer.
        ...ofBalancers
            .filter(port => port.device_owner === "")
            .map(port => ({ kind: "port" as const, id: port.id, name: port.name })),
        ...groups
            .filter(
                group =>
                    isDescribed(group.description, descriptions.securityGroup(clusterId)) &&
                    group.name.startsWith("lb-sg-"),
            )
            .map(group => ({ kind: "security group" as const, id: group.id, name: group.name })),
    ];
}

async function volumes(cloud: CloudClient, clusterId: string): Promise<Leftover[]> {
    if (!(await cloud.has("block-storage"))) return [];
    const all = await listVolumes(cloud);
    return all
        .filter(volume => volume.metadata[csiKey] === clusterId)
        .map(({ id, name, status, attachments }) => ({
            kind: "volume" as const,
            id,
            name: name ?? id,
            ...(attachments.length > 0 && { inUse: `${status}, attached to ${attachments[0]!.server_id}` }),
        }));
}

const paths: Record<Leftover["kind"], { service: "load-balancer" | "network" | "block-storage"; path: string }> = {
    "load balancer": { service: "load-balancer", path: "/lbaas/loadbalancers" },
    "floating IP": { service: "network", path: "/floatingips" },
    port: { service: "network", path: "/ports" },
    "security group": { service: "network", path: "/security-groups" },
    volume: { service: "block-storage", path: "/volumes" },
};

/** Deleting a load balancer deletes its listeners and members. A volume with snapshots stays: somebody made them to keep its data. */
const cascading = new Set<Leftover["kind"]>(["load balancer"]);

/** What the others wait for. */
const slow = new Set<Leftover["kind"]>(["load balancer", "volume"]);

export interface LeftoverOptions {
    /** `list` reports what exists; `delete` deletes it with its data. */
    policy: "list" | "delete";
    report?: (text: string) => void;
    /** How long each load balancer or volume may take to disappear, in seconds. @default 120 */
    timeoutSeconds?: number;
}

export interface LeftoverResult {
    removed: Leftover[];
    kept: Leftover[];
    /** Why something that should have been deleted still exists. */
    problems: string[];
}

/** Call it after the servers are deleted. A single failure does not stop it: what stays is reported. */
export async function removeLeftovers(
    cloud: CloudClient,
    clusterId: string,
    { policy, report, timeoutSeconds = 120 }: LeftoverOptions,
): Promise<LeftoverResult> {
    const all = await findLeftovers(cloud, clusterId);
    const result: LeftoverResult = { removed: [], kept: [], problems: [] };
    for (const kind of order) {
        const some = all.filter(each => each.kind === kind);
        const removable = policy === "delete" ? some.filter(each => each.inUse === undefined) : [];
        result.kept.push(...some.filter(each => !removable.includes(each)));
        for (const each of removable) {
            report?.(`delete the ${kind} ${each.name}`);
            try {
                const { service, path } = paths[kind];
                const query = cascading.has(kind) ? "?cascade=true" : "";
                await cloud.change(service, "DELETE", `${path}/${each.id}${query}`);
                result.removed.push(each);
            } catch (error) {
                if (!(error instanceof CloudRefused)) throw error;
                result.kept.push(each);
                result.problems.push(`${kind} ${each.name}: ${error.reason}`);
            }
        }
        if (slow.has(kind)) await gone(cloud, result, kind, timeoutSeconds);
    }
    return result;
}

/** Waits until these are deleted: security groups can be deleted only after that. */
async function gone(
    cloud: CloudClient,
    result: LeftoverResult,
    kind: Leftover["kind"],
    seconds: number,
): Promise<void> {
    const end = Date.now() + seconds * 1000;
    const { service, path } = paths[kind];
    for (const each of result.removed.filter(other => other.kind === kind)) {
        for (;;) {
            const answer = await cloud.get<Record<string, { provisioning_status?: string }>>(
                service,
                `${path}/${each.id}`,
            );
            const [thing] = Object.values(answer ?? {});
            // an answer without the thing may be a proxy's
            if (answer === undefined || thing?.provisioning_status === "DELETED") break;
            if (Date.now() >= end) {
                result.problems.push(`${kind} ${each.name}: still there after ${seconds} s`);
                break;
            }
            await new Promise(resolve => setTimeout(resolve, 1000));
        }
    }
}

/** One line each. */
export function leftoverText(leftovers: readonly Leftover[]): string {
    return leftovers
        .map(({ kind, id, name, inUse }) => `${kind} ${name} (${id})${inUse === undefined ? "" : `: ${inUse}`}`)
        .join("\n");
}
