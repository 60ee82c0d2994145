import { hostSteps } from "../provider/lifecycle/host-steps";
import { nodeSteps } from "../provider/lifecycle/node-steps";
import type { HostSpec, NodeSpec } from "../provider/model";
import { type ClusterNetworkSpec, networkSteps } from "../provider/resources/cluster-network";
import { type OperationEndSpec, operationEndSteps } from "../provider/resources/operation-end";
import { unpack } from "../provider/resources/packed";
import { plan, type Step, type StepFactory } from "../provider/steps";
import type { ClusterSteps } from "./critical-path";

const secretMark = "4dabf18193072939515e22adb298388d";

interface Stored {
    type: string;
    /** When its operation ended, ISO 8601. */
    created?: string;
    inputs?: Record<string, unknown>;
}

/** What was planned for one machine. */
export interface PlannedMachine {
    name: string;
    master: boolean;
    host: Step[];
    node: Step[];
}

export interface PlannedCluster {
    clusterId: string;
    machines: PlannedMachine[];
    network: Step[];
    end: Step[];
}

/** The steps of a cluster, planned again from the inputs in its state (`pulumi stack export --show-secrets`). */
export function plannedCluster(exported: string): PlannedCluster {
    const resources = storedResources(exported);
    const stepsOf = <Spec>(inputs: Record<string, unknown>, factories: readonly StepFactory<Spec>[]) =>
        plan(factories, inputs["spec"] as Spec, inputs["fingerprintKey"] as string);
    const ofType = (type: string) => resources.filter(each => each.type === type).map(each => each.inputs);
    const nodes = new Map(ofType("Node").map(inputs => [(inputs["spec"] as NodeSpec).name, inputs]));
    const hosts = ofType("Host")
        .map(inputs => ({ inputs, spec: inputs["spec"] as HostSpec }))
        .sort((a, b) => order(a.spec, b.spec));
    const machines = hosts.map(({ inputs, spec: { name, role } }, i) => ({
        name,
        master: role === "controlPlane",
        host: stepsOf(inputs, hostSteps),
        node: stepsOf(nodes.get(name)!, nodeSteps(i === 0 ? "init" : "join")),
    }));
    const wide = <Spec>(type: string, factories: readonly StepFactory<Spec>[]) =>
        ofType(type).flatMap(inputs => stepsOf(inputs, factories));
    return {
        clusterId: hosts[0].spec.clusterId,
        machines,
        network: wide<ClusterNetworkSpec>("ClusterNetwork", networkSteps),
        end: wide<OperationEndSpec>("OperationEnd", operationEndSteps),
    };
}

/** Control-plane nodes before workers, each by number. */
function order(a: HostSpec, b: HostSpec): number {
    const rank = ({ role }: HostSpec) => (role === "controlPlane" ? 0 : 1);
    return rank(a) - rank(b) || a.name.localeCompare(b.name, "en", { numeric: true });
}

/** Resources in an exported stack: last part of the type, plain inputs. */
export function storedResources(exported: string) {
    return (JSON.parse(exported).deployment.resources as Stored[]).map(({ type, created, inputs }) => ({
        type: type.split(":").at(-1) as string,
        created,
        inputs: unpack(reveal(inputs ?? {}) as Record<string, unknown>, []),
    }));
}

/** The steps' ids, in order. */
export function idsOf({ machines, network, end }: PlannedCluster): ClusterSteps {
    const ids = (steps: Step[]) => steps.map(({ id }) => id);
    return {
        machines: machines.map(({ name, master, host, node }) => ({ name, master, host: ids(host), node: ids(node) })),
        network: ids(network),
        end: ids(end),
    };
}

/** Replaces the engine's secret marks by the values. */
export function reveal(value: unknown): unknown {
    if (Array.isArray(value)) {
        return value.map(reveal);
    }
    if (value === null || typeof value !== "object") {
        return value;
    }
    const object = value as Record<string, unknown>;
    if (secretMark in object) {
        return reveal(JSON.parse(object["plaintext"] as string));
    }
    return Object.fromEntries(Object.entries(object).map(([key, each]) => [key, reveal(each)]));
}
