import { descriptorOf, resourceType, secretNames } from "../../provider/adapters/descriptors";
import type { Role } from "../../provider/common/model";
import { unpack } from "../../provider/contract/packed";

/** A resource that a program registered with a recording engine. */
export interface Recorded {
    /** "Host core-m1" */
    label: string;
    type: string;
    inputs: Readonly<Record<string, unknown>>;
    /** Its inputs and outputs as the engine stores them. */
    state: Readonly<Record<string, unknown>>;
    /** Labels of what it waits for. */
    after: readonly string[];
    /** Label of what it is deleted with; empty: it is deleted by itself. */
    deletedWith: string;
    /** Another value replaces it. */
    replacementTrigger?: unknown;
    /** Its deletion only takes it out of the state. */
    retainOnDelete: boolean;
}

export type ActKind = "create" | "update" | "replace" | "delete";

/** What the engine does to a resource in a run. */
export interface RecordedAct {
    kind: ActKind;
    resource: Recorded;
    /** Titles of the steps that run; undefined: its type has none. */
    steps?: readonly string[];
}

/** What a run does that leads from the resources of one program to those of another one, in the order of their registration. Pure. */
export function actsBetween(before: readonly Recorded[], after: readonly Recorded[]): RecordedAct[] {
    const olds = new Map(before.map(each => [each.label, each]));
    const replaced = new Set<string>();
    const acts = after.flatMap((resource): RecordedAct[] => {
        const old = olds.get(resource.label);
        if (old === undefined) return [{ kind: "create", resource, ...stepsOfAct(resource) }];
        const kind = changeOf(old, resource, replaced);
        if (kind === undefined) return [];
        if (kind === "replace") replaced.add(old.state["id"] as string);
        return [{ kind, resource, ...stepsOfAct(resource, kind === "update" ? old : undefined) }];
    });
    const names = new Set(after.map(({ label }) => label));
    const gone = before.filter(({ label }) => !names.has(label));
    return [...acts, ...gone.map((resource): RecordedAct => ({ kind: "delete", resource }))];
}

/** Asks the type's own diff. In the cloud each other input is a change, and what names something replaced is replaced. */
function changeOf(old: Recorded, resource: Recorded, replaced: ReadonlySet<string>): ActKind | undefined {
    if (differ(old.replacementTrigger, resource.replacementTrigger)) return "replace";
    const inputs = withOtherIds(resource.inputs, replaced);
    if (!differ(old.inputs, inputs)) return undefined;
    if (descriptorOf(typeOf(resource)) === undefined) return differ(resource.inputs, inputs) ? "replace" : "update";
    const { changes, replaces = [] } = resourceType(typeOf(resource)).diff(
        "id",
        endedWell(opened(old, old.state)),
        opened(resource, inputs),
    );
    if (replaces.length > 0) return "replace";
    return changes ? "update" : undefined;
}

/** The recording engine knows no replacements: here those have another id. */
function withOtherIds(inputs: Recorded["inputs"], replaced: ReadonlySet<string>): Recorded["inputs"] {
    const text = [...replaced].reduce((all, id) => all.replaceAll(id, `${id}-2`), JSON.stringify(inputs));
    return JSON.parse(text) as Recorded["inputs"];
}

const differ = (one: unknown, other: unknown) => JSON.stringify(one) !== JSON.stringify(other);

/** The state of a resource whose last run did all that its inputs ask for. */
function endedWell(state: Record<string, unknown>): Record<string, unknown> {
    const { steps, word, requestId } = state;
    return { ...state, done: requestId ?? steps, rotated: word, restored: { requestId } };
}

function opened({ type }: Recorded, properties: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const { __provider, known, ...rest } = properties;
    return unpack(rest, secretNames(typeOf({ type })));
}

/** With the resource before: those whose fingerprints differ. */
function stepsOfAct(resource: Recorded, old?: Recorded): Pick<RecordedAct, "steps"> {
    const [before, after] = [old && stepsOf(old), stepsOf(resource)];
    if (after === undefined) return {};
    return { steps: Object.keys(after).filter(title => before?.[title] !== after[title]) };
}

/** Title → fingerprint. */
function stepsOf(resource: Recorded): Record<string, string> | undefined {
    return opened(resource, resource.inputs)["steps"] as Record<string, string> | undefined;
}

/** "Host" */
export const typeOf = ({ type }: Pick<Recorded, "type">) => type.slice(type.lastIndexOf(":") + 1);

/** Of a machine or a node. */
export function roleOf(resource: Recorded): Role | undefined {
    return (opened(resource, resource.inputs)["spec"] as { role?: Role } | undefined)?.role;
}
