import type { KubernetesClusterArgs } from "../components/args/args";
import { placedMembers } from "../components/infrastructure/hosts/members";
import { clusterPlan } from "../components/kubernetes-cluster/cluster-plan";
import { readFiles } from "../components/kubernetes-cluster/operator-files";
import { sampleIdentity, sampleKeys } from "../components/preview/sample-identity";
import { type ClusterNetworkSpec, networkSteps } from "../provider/cluster/cluster-network";
import { operationEndSteps } from "../provider/cluster/operation-end";
import type { OperationEndSpec } from "../provider/cluster/operation-end-inputs";
import { unpack } from "../provider/contract/packed";
import { hostSteps } from "../provider/host/host-steps";
import { nodeSteps } from "../provider/member/node-steps";
import { plan, type Step, type StepFactory } from "../provider/steps";
import type { ClusterSteps } from "./critical-path";

const secretMark = "4dabf18193072939515e22adb298388d";

interface Stored {
    type: string;
    /** When its operation ended, ISO 8601. */
    created?: string;
    inputs?: Record<string, unknown>;
    outputs?: Record<string, unknown>;
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

/** The steps of a cluster with these arguments, with keys that are no keys. */
export function plannedCluster(args: Record<string, unknown>): PlannedCluster {
    const plain = args as unknown as KubernetesClusterArgs;
    const identity = sampleIdentity("core");
    const { clusterId, caCertHash } = identity;
    const shape = clusterPlan(plain, "core", placedMembers(plain), readFiles(plain));
    const machines = Object.values(shape.hosts).map((host, i) => {
        const [mode, master] = [i === 0 ? "init" : "join", host.role === "controlPlane"] as const;
        const node = { ...shape.nodes[host.name]!, clusterId, identity, ...(master && { keys: sampleKeys }) };
        return {
            name: host.name,
            master,
            host: plan(hostSteps, { ...host, clusterId, caCertHash }, "key"),
            node: plan(nodeSteps(mode), node, "key"),
        };
    });
    return {
        clusterId,
        machines,
        network: plan(networkSteps, { ...shape.cni, clusterId }, "key"),
        end: plan(operationEndSteps, { ...shape.end, clusterId, nodeIds: {} }, "key"),
    };
}

/** The ids of the steps of a cluster, from its state. `network`: planned again from the stored inputs. */
export function storedSteps(exported: string): ClusterSteps & { networkSteps: Step[] } {
    const resources = storedResources(exported);
    const ofType = (type: string) => resources.filter(each => each.type === type);
    const idsOfDone = (outputs: Record<string, unknown>) => Object.keys(outputs["done"] as object);
    const nodes = new Map(ofType("Node").map(({ outputs }) => [specOf(outputs).name, outputs]));
    const machines = ofType("Host")
        .sort((a, b) => order(specOf(a.outputs), specOf(b.outputs)))
        .map(({ outputs }) => {
            const { name, role } = specOf(outputs);
            const node = idsOfDone(nodes.get(name)!);
            return { name, master: role === "controlPlane", host: idsOfDone(outputs), node };
        });
    const wide = <Spec>(type: string, factories: readonly StepFactory<Spec>[]) =>
        ofType(type).flatMap(({ inputs }) =>
            plan(factories, inputs["spec"] as Spec, inputs["fingerprintKey"] as string),
        );
    const network = wide<ClusterNetworkSpec>("ClusterNetwork", networkSteps);
    const end = wide<OperationEndSpec>("OperationEnd", operationEndSteps);
    return { machines, network: idsOfSteps(network), end: idsOfSteps(end), networkSteps: network };
}

interface StoredSpec {
    name: string;
    role: string;
}

const specOf = (outputs: Record<string, unknown>) => outputs["spec"] as StoredSpec;

const idsOfSteps = (steps: readonly Step[]) => steps.map(({ id }) => id);

/** Control-plane nodes before workers, each by number. */
function order(a: StoredSpec, b: StoredSpec): number {
    const rank = ({ role }: StoredSpec) => (role === "controlPlane" ? 0 : 1);
    return rank(a) - rank(b) || a.name.localeCompare(b.name, "en", { numeric: true });
}

/** Resources in an exported stack: last part of the type, plain inputs and outputs. */
export function storedResources(exported: string) {
    return (JSON.parse(exported).deployment.resources as Stored[]).map(({ type, created, inputs, outputs }) => ({
        type: type.split(":").at(-1) as string,
        created,
        inputs: unpack(reveal(inputs ?? {}) as Record<string, unknown>, []),
        outputs: unpack(reveal(outputs ?? {}) as Record<string, unknown>, []),
    }));
}

/** The steps' ids, in order. */
export function idsOf({ machines, network, end }: PlannedCluster): ClusterSteps {
    return {
        machines: machines.map(({ name, master, host, node }) => ({
            name,
            master,
            host: idsOfSteps(host),
            node: idsOfSteps(node),
        })),
        network: idsOfSteps(network),
        end: idsOfSteps(end),
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
