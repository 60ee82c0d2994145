import type { CloudStartInputs, CloudStartState, StartNode } from "../../../../provider/cloud/cloud-start-inputs";
import { operationStart as anyStart } from "../../../../provider/cluster/operation-start";
import type { ResourceType } from "../../../../provider/contract/types";

/** As for a cluster on a cloud. */
export const operationStart = anyStart as unknown as ResourceType<CloudStartInputs, CloudStartState>;

export const shape = { image: "debian-12", flavor: "m1.small" };
export const startNode = (name: string, changes: Partial<StartNode> = {}): StartNode => ({
    role: name.startsWith("m") ? "controlPlane" : "worker",
    shape,
    stack: { server: `${name}_server`, address: `${name}_address` },
    ...changes,
});

export function inputsOf(names: string[], changes: Partial<CloudStartInputs["spec"]> = {}): CloudStartInputs {
    return {
        resourceUrn: "urn:start",
        spec: {
            clusterId: "core-00000001",
            clusterName: "core",
            backEnd: "heat",
            cloud: {},
            stackName: "core",
            owner: "abc",
            nodes: Object.fromEntries(names.map(name => [name, startNode(name)])),
            drain: { timeoutSeconds: 5, policy: "fail" },
            leftovers: "delete",
            ...changes,
        },
        ssh: { user: "nfv", privateKey: "key" },
    };
}

/** The engine's state after an operation with these inputs. */
export const stateOf = (inputs: CloudStartInputs) => operationStart.check({}, inputs).inputs as CloudStartState;
