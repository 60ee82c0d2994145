import { bracketed } from "../common/cidr";
import type { EndpointSpec } from "../common/model";
import { apiServerPort } from "./decide-endpoint";

/**
 * What answers at an endpoint. `name`: the single control-plane node, under a name that only the cluster's nodes know.
 */
export type EndpointKind = "name" | "vip" | "external";

/** The parts of an endpoint that matter when it changes. */
export interface EndpointShape {
    kind: EndpointKind;
    /**
     * "" if it is known only once the cluster exists: the name of a single control-plane node, or an address that a
     * cloud chooses.
     */
    host: string;
    port: number;
    virtualRouterId?: number;
    /** The control-plane nodes are servers of a cloud. */
    onCloud?: boolean;
}

export interface EndpointQuestion {
    before: EndpointShape;
    after: EndpointShape;
}

export const kindOf = (endpoint: EndpointSpec): EndpointKind =>
    endpoint.vip ? "vip" : endpoint.hostsEntry ? "name" : "external";

export const placeOf = ({ host, port }: Pick<EndpointShape, "host" | "port">) => `${bracketed(host)}:${port}`;

const shown = (endpoint: EndpointShape) =>
    endpoint.kind === "name" ? "the only master's own name" : `${endpoint.kind} ${placeOf(endpoint)}`;

function isSame({ before, after }: EndpointQuestion): boolean {
    return before.kind === after.kind && (before.kind === "name" || placeOf(before) === placeOf(after));
}

/** Describes the change of the endpoint; undefined if there is none. */
export function changeOfEndpoint(question: EndpointQuestion): string | undefined {
    const { before, after } = question;
    if (isSame(question)) return undefined;
    if (before.kind !== after.kind) return `${before.kind} to ${after.kind}`;
    const what = [before.host !== after.host && "address", before.port !== after.port && "port"].filter(Boolean);
    return `${before.kind}: ${what.join(" and ")}`;
}

const alsoTouches = (one: number, other: number) => Math.abs(one - other) === 1;
const bothVip = ({ before, after }: EndpointQuestion) => before.kind === "vip" && after.kind === "vip";

/** Changes that are impossible while the cluster is in use, and what to do instead. The first row that applies. */
const refusals: { when: (q: EndpointQuestion) => boolean; why: string; instead: string }[] = [
    {
        when: q => q.before.onCloud === true || q.after.onCloud === true,
        why: "on a cloud the address is a port of its own and the security groups know the number, and the cloud would change both before the nodes",
        instead: "make a second KubernetesCluster beside this one and move the workload",
    },
    {
        when: q => q.after.kind === "name",
        why: "clients would be left without an address that they can know",
        instead: "keep the endpoint: it does no harm with a single master",
    },
    {
        when: q => q.after.kind === "vip" && q.after.port === apiServerPort,
        why: `${apiServerPort} is where the API server of each master itself listens`,
        instead: "take another port",
    },
    {
        when: q => q.before.kind !== q.after.kind && q.before.kind !== "name" && q.before.host === q.after.host,
        why: "the former and the new one must stand side by side for a while, and one address cannot be on the masters and elsewhere",
        instead: "take another address, or go by way of one",
    },
    {
        when: q => bothVip(q) && alsoTouches(q.before.port, q.after.port),
        why: "beside the former port HAProxy answers keepalived as long as both are served",
        instead: "take a port that is not next to it, or go by way of one",
    },
    {
        when: q =>
            bothVip(q) &&
            q.before.host !== q.after.host &&
            q.before.virtualRouterId !== undefined &&
            q.before.virtualRouterId === q.after.virtualRouterId,
        why: "both addresses are on the masters for a while, and each needs a virtual router id of its own",
        instead: "give another controlPlane.endpoint.vip.virtualRouterId",
    },
];

/** Why the endpoint of a cluster in use cannot be changed so; undefined if it can, or if it does not change. Pure. */
export function refusedEndpointChange(question: EndpointQuestion): string | undefined {
    if (isSame(question)) return undefined;
    const row = refusals.find(({ when }) => when(question));
    if (row === undefined) return undefined;
    const [from, to] = [shown(question.before), shown(question.after)];
    return (
        `controlPlane.endpoint cannot be changed like this (${changeOfEndpoint(question)}): this cluster has ${from}, ${to} is asked for; ${row.why}. ` +
        `Nothing was touched. Set it back to ${from}, or ${row.instead}.`
    );
}

/**
 * The endpoints besides the wanted one that a member of the cluster serves or knows, until all nodes have moved. Pure.
 */
export function formerEndpoints(wanted: EndpointSpec, known: readonly EndpointSpec[]): EndpointSpec[] {
    const byPlace = new Map(known.map(endpoint => [placeOf(endpoint), endpoint]));
    byPlace.delete(placeOf(wanted));
    return [...byPlace.values()].sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}

/**
 * Like refusedEndpointChange, but with the former endpoints that the machine knows, also from runs that were
 * interrupted.
 */
export function refusedBeside(wanted: EndpointSpec, formers: readonly EndpointSpec[]): string | undefined {
    const shape = (endpoint: EndpointSpec): EndpointShape => ({
        kind: kindOf(endpoint),
        host: endpoint.host,
        port: endpoint.port,
        virtualRouterId: endpoint.vip?.virtualRouterId,
    });
    const after = shape(wanted);
    return formers
        .map(former => refusedEndpointChange({ before: shape(former), after }))
        .find(reason => reason !== undefined);
}
