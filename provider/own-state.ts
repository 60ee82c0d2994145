import * as pulumi from "@pulumi/pulumi";

/** What a stack's state has, by URN. What is to be deleted is not among it. */
export type StateOutputs = Record<string, { outputs?: Record<string, unknown> } | undefined>;

interface Program {
    state?: Promise<StateOutputs>;
    hookNames: Map<string, number>;
}

/** By the program's stack: one process may run several programs, one after another (Automation API). */
const programs = new WeakMap<object, Program>();

function thisProgram(): Program {
    const key = pulumi.runtime.getStackResource() ?? pulumi;
    const program = programs.get(key) ?? { hookNames: new Map() };
    programs.set(key, program);
    return program;
}

/**
 * The state of this program's own stack when it was first asked for: the engine tells any program of any stack. It must be asked for before the
 * resource is registered that wants it, never in a hook: the engine makes a provider for the question, which waits for the hook to end.
 */
export function ownState(): Promise<StateOutputs> {
    const program = thisProgram();
    program.state ??= readState();
    return program.state;
}

/** A backend of old knows stacks by their short names. One that tells nothing must not stop what is asked for: a warning says what is not seen. */
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
    // In a user's unit test there is no engine.
    if (isEngine()) void pulumi.log.warn(text);
    return {};
}

/** Not the mocks of unit tests, which know no hooks. */
function isEngine(): boolean {
    const monitor = pulumi.runtime.getMonitor() as { registerResourceHook?: unknown } | undefined;
    return typeof monitor?.registerResourceHook === "function";
}

/** Environment variable: set where a language host stands between program and engine that passes no hooks on (the one built from Go modules). */
export const withoutHooks = "PULUMI_NFV_WITHOUT_HOOKS";

/** Whether hooks can be registered. */
export function hasHooks(): boolean {
    return !process.env[withoutHooks] && isEngine();
}

/** A hook that the engine runs before it makes a resource. Resources below different components may have one name, hooks may not. */
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
