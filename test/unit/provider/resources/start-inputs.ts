import { operationStart } from "../../../../provider/resources/operation-start";
import type {
    OperationStartInputs,
    OperationStartState,
    StartNode,
} from "../../../../provider/resources/operation-start-inputs";

export const shape = { image: "debian-12", flavor: "m1.small" };
export const startNode = (name: string, changes: Partial<StartNode> = {}): StartNode => ({
    role: name.startsWith("m") ? "controlPlane" : "worker",
    shape,
    stack: { server: `${name}_server`, address: `${name}_address` },
    ...changes,
});

export function inputsOf(names: string[], changes: Partial<OperationStartInputs["spec"]> = {}): OperationStartInputs {
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

/** What the engine has after an operation with these inputs. */
export const stateOf = (inputs: OperationStartInputs) => operationStart.check({}, inputs).inputs as OperationStartState;
