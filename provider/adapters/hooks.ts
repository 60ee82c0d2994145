import * as pulumi from "@pulumi/pulumi";
import { RunSession } from "../common/run-session";

/** By program: its stack resource identifies it; in tests with mocks, which have none, the mocks. */
const sessions = new WeakMap<object, RunSession>();

/**
 * The session of the program that calls this. With the Automation API one process may run several programs, one after
 * another or side by side; the SDK gives each its own stack resource. Call it while the program runs: a hook may find no
 * stack resource, so whoever registers the hook hands the session over.
 */
export function programSession(): RunSession {
    const program = pulumi.runtime.getStackResource() ?? pulumi.runtime.getMonitor() ?? pulumi;
    const session = sessions.get(program) ?? new RunSession();
    sessions.set(program, session);
    return session;
}

/** False for the mocks of unit tests, which have no hooks. */
export function isEngine(): boolean {
    const monitor = pulumi.runtime.getMonitor() as { registerResourceHook?: unknown } | undefined;
    return typeof monitor?.registerResourceHook === "function";
}

/** Name of a hook → how many have it. */
class HookNames extends Map<string, number> {}

/**
 * A hook of a resource. Resources in different components may share a name; hooks may not, so a number is appended.
 */
export function resourceHook(
    name: string,
    look: pulumi.ResourceHookFunction,
    options: pulumi.ResourceHookOptions = {},
): pulumi.ResourceHook {
    const counts = programSession().part(HookNames);
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return new pulumi.ResourceHook(count === 1 ? name : `${name}-${count}`, look, options);
}
