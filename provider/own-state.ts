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
