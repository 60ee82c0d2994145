import * as pulumi from "@pulumi/pulumi";
import { isEngine, programSession } from "./hooks";

/** The resources in a stack's state, by URN, without those that are pending deletion. */
export type StateOutputs = Record<string, { outputs?: Record<string, unknown> } | undefined>;

class OwnState {
    private readonly read = readState();
    readonly outputs = this.read.then(({ outputs }) => outputs);
    readonly problem = this.read.then(({ problem }) => problem);
}

/**
 * The state of this program's stack at the first call. The first call must not be in a hook: the engine creates a
 * provider for the request, and that provider would wait for the hook to end. So a resource whose hook needs the state
 * waits for it before it is registered.
 */
export function ownState(session = programSession()): Promise<StateOutputs> {
    return session.part(OwnState).outputs;
}

/** Why `ownState` knows nothing. Undefined: the state was read. */
export function stateProblem(session = programSession()): Promise<string | undefined> {
    return session.part(OwnState).problem;
}

/**
 * Old backends know stacks by their short names only. A backend that does not answer must not stop the program: a
 * warning says what is not guarded then.
 */
async function readState(): Promise<{ outputs: StateOutputs; problem?: string }> {
    const stack = pulumi.getStack();
    const long = () => `${pulumi.getOrganization()}/${pulumi.getProject()}/${stack}`;
    let why: unknown;
    // Twice: a backend may fail for a moment.
    for (const name of [long, () => stack, long, () => stack]) {
        try {
            const answer = await pulumi.runtime.invoke("pulumi:pulumi:readStackResourceOutputs", { stackName: name() });
            return { outputs: (answer?.outputs ?? {}) as StateOutputs };
        } catch (error) {
            why ??= error;
        }
    }
    const reason = why instanceof Error ? why.message : String(why);
    const text = `the state of ${stack} cannot be read by its program, so pulumi up --replace and pulumi state taint are not guarded in this run: ${reason}`;
    // no warning in a user's unit test, which has no engine
    if (isEngine()) void pulumi.log.warn(text);
    return { outputs: {}, problem: reason };
}

/** The outputs of all resources of a type, by its whole token. */
export function outputsOf(state: StateOutputs, type: string): Record<string, unknown>[] {
    return Object.entries(state).flatMap(([urn, resource]) =>
        urn.split("::")[2]?.endsWith(type) && resource?.outputs ? [resource.outputs] : [],
    );
}

interface Sought {
    urn: string;
    /** The type's whole token. */
    type: string;
    clusterName: string;
}

/**
 * The outputs of a cluster's resource of a type of which it has one. By what they say where none has this URN: after a renaming by alias the state has the
 * former name until the run has registered the resource.
 */
export function outputsOfCluster(
    state: StateOutputs,
    { urn, type, clusterName }: Sought,
): Record<string, unknown> | undefined {
    if (state[urn] !== undefined) return state[urn].outputs ?? {};
    const isOfCluster = ({ clusterName: name, clusterId: id }: Record<string, unknown>) =>
        name === clusterName || (typeof id === "string" && id.replace(/-[^-]*$/, "") === clusterName);
    const found = outputsOf(state, type).filter(isOfCluster);
    return found.length === 1 ? found[0] : undefined;
}
