import { type Differences, differences } from "./differences";
import { listed, naturally } from "./names";
import type { ClusterDescription, Operation, OperationKind } from "./operation";

/**
 * The operations that lead from one description of a cluster to the other, in the order in which they are done.
 * Undefined: the cluster does not exist. The same description twice gives no operation. Pure.
 */
export function classify(before: ClusterDescription | undefined, after: ClusterDescription | undefined): Operation[] {
    const found = differences(before, after);
    const operations = rows.flatMap(({ kind, direction, when = () => true, part }): Omit<Operation, "id">[] => {
        const its = when(found) ? part(found) : undefined;
        return its === undefined ? [] : [{ kind, ...(direction && { direction }), ...nothing, ...its }];
    });
    const first = (before?.operations ?? 0) + 1;
    return operations.map((operation, i) => ({ id: String(first + i), ...operation }));
}

type Part = Partial<Operation> & Pick<Operation, "reasons">;

const nothing = { added: [], removed: [], replaced: [], changed: [] };

interface Row {
    kind: OperationKind;
    direction?: Operation["direction"];
    /** @default always */
    when?: (found: Differences) => boolean;
    /** Undefined: there is no such operation. */
    part: (found: Differences) => Part | undefined;
}

const isNew = ({ before }: Differences) => before === undefined;
const isGone = ({ after }: Differences) => after === undefined;
const livesOn = (found: Differences) => !isNew(found) && !isGone(found);
const leavesFirst = ({ after }: Differences) => after?.leavesFirst === true;

const joining = ({ after, added }: Differences): Part => ({ added, reasons: groups(after, added, "+") });
const leaving = ({ before, removed }: Differences): Part => ({ removed, reasons: groups(before, removed, "-") });
const joiningIfAny = (found: Differences) => (found.added.length > 0 ? joining(found) : undefined);
const leavingIfAny = (found: Differences) => (found.removed.length > 0 ? leaving(found) : undefined);

/** In the order in which the operations are done. */
const rows: Row[] = [
    { kind: "instantiate", when: found => isNew(found) && !isGone(found), part: joining },
    { kind: "terminate", when: found => isGone(found) && !isNew(found), part: leaving },
    { kind: "scale", direction: "in", when: found => livesOn(found) && leavesFirst(found), part: leavingIfAny },
    { kind: "heal", part: healing },
    { kind: "change_current_package", part: inputsOf("change_current_package") },
    { kind: "modify_information", part: inputsOf("modify_information") },
    { kind: "scale", direction: "out", when: livesOn, part: joiningIfAny },
    { kind: "change_external_connectivity", part: inputsOf("change_external_connectivity") },
    { kind: "scale", direction: "in", when: found => livesOn(found) && !leavesFirst(found), part: leavingIfAny },
];

/** Inputs whose change is more than modify_information. */
const kindsOfInputs: { kind: OperationKind; input: RegExp }[] = [
    { kind: "change_current_package", input: /^kubernetes\./ },
    { kind: "change_external_connectivity", input: /^controlPlane\.endpoint$/ },
    { kind: "change_external_connectivity", input: /^infrastructure\.(heat|nova)\.(externalNetwork|network|access)$/ },
];

function kindOf(name: string): OperationKind {
    return kindsOfInputs.find(({ input }) => input.test(name))?.kind ?? "modify_information";
}

function inputsOf(kind: OperationKind): Row["part"] {
    return ({ changed: all }) => {
        const changed = naturally([...all.keys()].filter(name => kindOf(name) === kind));
        return changed.length === 0 ? undefined : { changed, reasons: changed.map(name => all.get(name)!) };
    };
}

function healing({ replaced, after }: Differences): Part | undefined {
    if (replaced.size === 0) return undefined;
    const { run, nodes = [], how = "asked for" } = after?.asked ?? {};
    const asked = nodes.filter(name => replaced.get(name) === `${how}: ${run}`);
    const others = [...replaced].filter(([name]) => !asked.includes(name)).map(([name, why]) => `${name} (${why})`);
    const reasons = [...(asked.length > 0 ? [`${listed(asked)} (${how}: ${run})`] : []), ...others];
    return { replaced: [...replaced.keys()], reasons };
}

/** "control plane +1 (m3)", "workers +2 (w3, w4)": the control plane first, then each pool. */
function groups(cluster: ClusterDescription | undefined, names: readonly string[], sign: "+" | "-"): string[] {
    const byGroup = new Map<string, string[]>([[controlPlane, []]]);
    const groupOf = (name: string) => {
        const { role, pool = "workers" } = cluster!.nodes[name]!;
        return role === "controlPlane" ? controlPlane : pool;
    };
    for (const name of names) byGroup.set(groupOf(name), [...(byGroup.get(groupOf(name)) ?? []), name]);
    return [...byGroup]
        .filter(([, members]) => members.length > 0)
        .map(([group, members]) => `${group} ${sign}${members.length} (${listed(members)})`);
}

const controlPlane = "control plane";
