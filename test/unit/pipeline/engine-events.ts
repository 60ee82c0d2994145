import type { EngineEvent } from "@pulumi/pulumi/automation";

/** Makes events as the engine sends them. */

const parent = "urn:pulumi:dev::site::pulumi-nfv:index:KubernetesCluster::core";
export const urnOf = (type: string, name: string) =>
    `urn:pulumi:dev::site::pulumi-nfv:index:KubernetesCluster$${tokenOf(type)}::${name}`;
const tokenOf = (type: string) => (type.includes(":") ? type : `pulumi-nodejs:dynamic/nfv:${type}`);

interface State {
    inputs?: object;
    outputs?: object;
}

type Kind = "resourcePreEvent" | "resOutputsEvent" | "resOpFailedEvent";

export function acted(
    op: string,
    type: string,
    name: string,
    {
        old,
        next,
        kind = "resourcePreEvent",
        at = 1_795_736_400,
    }: { old?: State; next?: State; kind?: Kind; at?: number } = {},
): EngineEvent {
    const state = (some: State | undefined) =>
        some && {
            type: tokenOf(type),
            urn: urnOf(type, name),
            custom: true,
            id: name,
            parent,
            inputs: {},
            outputs: {},
            ...some,
        };
    const metadata = {
        op,
        urn: urnOf(type, name),
        type: tokenOf(type),
        old: state(old),
        new: state(next),
        provider: "",
    };
    return { sequence: 0, timestamp: at, [kind]: { metadata } } as unknown as EngineEvent;
}

export function said(
    severity: string,
    message: string,
    { type, name, ephemeral }: { type?: string; name?: string; ephemeral?: boolean } = {},
): EngineEvent {
    const urn = type && name && { urn: urnOf(type, name) };
    return {
        sequence: 0,
        timestamp: 1_795_736_400,
        diagnosticEvent: { ...urn, message, color: "never", severity, ephemeral },
    } as unknown as EngineEvent;
}

export interface Cluster {
    operation?: string;
    operations?: number;
    nodes: Record<string, { role: string; pool?: string }>;
}

/** Inputs of OperationStart. */
export const startOf = ({ operation, operations, nodes }: Cluster): State => ({
    inputs: {
        operation,
        operations,
        spec: JSON.stringify({ clusterName: "core", nodes, kubernetesVersion: "1.34.4" }),
    },
});

/** Inputs and outputs of a Host or Node. */
export const machineOf = (name: string, role: string, steps: Record<string, string>, more: object = {}): State => ({
    inputs: { spec: JSON.stringify({ name, role, steps, ...more }) },
    outputs: {
        spec: JSON.stringify({ name, role }),
        done: JSON.stringify(Object.fromEntries(Object.entries(steps).map(([title, fp]) => [`id ${title}`, fp]))),
    },
});

export const controlPlane = { role: "controlPlane" };
export const worker = { role: "worker", pool: "workers" };
