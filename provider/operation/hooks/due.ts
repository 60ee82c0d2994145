import { etsiName, eventOf, type HookEvent, type HookMoment } from "./events";
import type { RecordedOperation } from "./facts";
import { type HookSpec, placeOf, titleOf } from "./hook-spec";
import { selected } from "./node-selection";

/** A hook with the events that it has a part for. */
export interface KnownHook {
    hook: HookSpec;
    events: readonly HookEvent[];
}

/** One run of a hook. */
export interface DueHook {
    hook: HookSpec;
    event: HookEvent;
    operation: RecordedOperation;
}

/** The hooks of one moment of these operations: operation by operation, then in the program's order. Pure. */
export function dueHooks(
    hooks: readonly KnownHook[],
    operations: readonly RecordedOperation[],
    moment: HookMoment,
): DueHook[] {
    return operations.flatMap(operation => {
        const event = eventOf(operation, moment);
        return hooks.filter(({ events }) => events.includes(event)).map(({ hook }) => ({ hook, event, operation }));
    });
}

/** Identifies a run of a hook in the life of its cluster: "7 scale_end dns". */
export function keyOf({ hook, event, operation }: DueHook): string {
    return `${operation.id} ${etsiName(event)} ${hook.name}`;
}

/** For preview: "scale_start: dns (module ./dns.js, 0123456789ab) on this machine". */
export function describeDue(due: DueHook): string {
    const { hook, event } = due;
    const nowhere = fitsNoNode(due) ? ", but no node fits: it runs nowhere" : "";
    return `${etsiName(event)}: ${hook.name} (${titleOf(hook)}, ${hook.hash}) ${placeOf(hook)}${nowhere}`;
}

function fitsNoNode({ hook: { nodes }, event, operation: { before, after } }: DueHook): boolean {
    const there = Object.entries(event.endsWith("Start") ? before : after);
    return (
        nodes !== undefined &&
        selected(
            there.map(([name, node]) => ({ ...node, name })),
            nodes,
        ).length === 0
    );
}
