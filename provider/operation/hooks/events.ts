import type { OperationKind } from "../operation";

/** When a hook runs: before anything of the operation changes, or after all of it. */
export type HookMoment = "start" | "end";

/** Operations that ETSI NFV can take back. The others are simply done the other way round. */
export const takenBack = ["instantiate", "scale", "change_current_package"] as const satisfies OperationKind[];

const kinds: readonly OperationKind[] = [
    "instantiate",
    "scale",
    "heal",
    "change_external_connectivity",
    "change_current_package",
    "modify_information",
    "terminate",
];

/** A method of ETSI's management interface: "scale_start", "change_current_package_rollback_end". */
export type EtsiEvent = `${OperationKind}_${HookMoment}` | `${(typeof takenBack)[number]}_rollback_${HookMoment}`;

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S;

/** The same in TypeScript's spelling: "scaleStart". */
export type HookEvent = Camel<EtsiEvent>;

const etsiEvents = [
    ...kinds.flatMap(kind => [`${kind}_start`, `${kind}_end`]),
    ...takenBack.flatMap(kind => [`${kind}_rollback_start`, `${kind}_rollback_end`]),
] as EtsiEvent[];

const camel = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()) as HookEvent;

const byEvent = new Map(etsiEvents.map(name => [camel(name), name]));

/** All events: those of the seven operations, then those of operations that are taken back. */
export const hookEvents: readonly HookEvent[] = [...byEvent.keys()];

/** "scaleStart" → "scale_start", as ETSI NFV and Tacker write it. */
export function etsiName(event: HookEvent): EtsiEvent {
    return byEvent.get(event)!;
}

/** The event of an operation: { kind: "scale", rollbackOf: "7" }, "end" → "scaleRollbackEnd". */
export function eventOf(
    { kind, rollbackOf }: { kind: OperationKind; rollbackOf?: string },
    moment: HookMoment,
): HookEvent {
    return camel(`${kind}${rollbackOf === undefined ? "" : "_rollback"}_${moment}`);
}
