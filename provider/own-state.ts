import * as pulumi from "@pulumi/pulumi";

/** The resources in a stack's state, by URN, without those that are pending deletion. */
export type StateOutputs = Record<string, { outputs?: Record<string, unknown> } | undefined>;

interface Program {
    state?: Promise<StateOutputs>;
    hookNames: Map<string, number>;
}

/**
 * By the stack resource of the program: with the Automation API one process may run several programs, one after
 * another.
 */
const programs = new WeakMap<object, Program>();

function thisProgram(): Program {
    const key = pulumi.runtime.getStackResource() ?? pulumi;
    const program = programs.get(key) ?? { hookNames: new Map() };
    programs.set(key, program);
    return program;
}

/**
 * The state of this program's stack at the first call. Call it before the resource that needs it is registered, never
 * in a hook: the engine creates a provider for the request, and that provider would wait for the hook to end.
 */
export function ownState(): Promise<StateOutputs> {
    const program = thisProgram();
    program.state ??= readState();
    return program.state;
}

/**
 * Old backends know stacks by their short names only. A backend that does not answer must not stop the program: a
 * warning says what is not guarded then.
 */
async function readState(): Promise<StateOutputs> {
    const stack = pulumi.getStack();
    let why: unknown;
    for (const name of [() => `${pulumi.getOrganization()}/${pulumi.getProject()}/${stack}`, () => stack]) {
        try {
            const answer = await pulumi.runtime.invoke("pulumi:pulumi:readStackResourceOutputs", { stackName: name() });
            return (answer?.outputs ?? {}) as StateOutputs;
        } catch (error) {
            why ??= error;
        }
    }
    const reason = why instanceof Error ? why.message : String(why);
    const text = `the state of ${stack} cannot be read by its program, so --replace is not guarded: ${reason}`;
    // no warning in a user's unit test, which has no engine
    if (isEngine()) void pulumi.log.warn(text);
    return {};
}

/** False for the mocks of unit tests, which have no hooks. */
function isEngine(): boolean {
    const monitor = pulumi.runtime.getMonitor() as { registerResourceHook?: unknown } | undefined;
    return typeof monitor?.registerResourceHook === "function";
}

/**
 * Environment variable: set if the language host between program and engine does not pass hooks on (the one built from
 * Go modules).
 */
export const withoutHooks = "PULUMI_NFV_WITHOUT_HOOKS";

/** Whether hooks can be registered. */
export function hasHooks(): boolean {
    return !process.env[withoutHooks] && isEngine();
}

/**
 * A hook that the engine runs before it creates a resource. Resources in different components may share a name; hooks
 * may not, so a number is appended.
 */
export function beforeCreate(
    name: string,
    look: pulumi.ResourceHookFunction,
    options: pulumi.ResourceHookOptions = {},
): pulumi.ResourceHook {
    const { hookNames } = thisProgram();
    const count = (hookNames.get(name) ?? 0) + 1;
    hookNames.set(name, count);
    return new pulumi.ResourceHook(count === 1 ? name : `${name}-${count}`, look, options);
}
