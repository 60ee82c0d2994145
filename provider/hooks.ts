import * as pulumi from "@pulumi/pulumi";
import { withoutHooks } from "./without-hooks";

/**
 * Identifies the program: its stack resource. With the Automation API one process may run several programs, one after
 * another.
 */
export function thisProgram(): object {
    return pulumi.runtime.getStackResource() ?? pulumi;
}

/** False for the mocks of unit tests, which have no hooks. */
export function isEngine(): boolean {
    const monitor = pulumi.runtime.getMonitor() as { registerResourceHook?: unknown } | undefined;
    return typeof monitor?.registerResourceHook === "function";
}

/** Whether hooks can be registered. */
export function hasHooks(): boolean {
    return !process.env[withoutHooks] && isEngine();
}

/** Program → name of a hook → how many have it. */
const names = new WeakMap<object, Map<string, number>>();

/**
 * A hook that the engine runs before it creates a resource. Resources in different components may share a name; hooks
 * may not, so a number is appended.
 */
export function beforeCreate(
    name: string,
    look: pulumi.ResourceHookFunction,
    options: pulumi.ResourceHookOptions = {},
): pulumi.ResourceHook {
    const program = thisProgram();
    const counts = names.get(program) ?? new Map<string, number>();
    names.set(program, counts);
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return new pulumi.ResourceHook(count === 1 ? name : `${name}-${count}`, look, options);
}
