import { titleOf } from "../../provider/adapters/titles";
import { inOrderOfRun, stepOf } from "../../provider/cluster/known-steps";
import { versionStep } from "../../provider/member/node-steps";
import { type ActKind, type RecordedAct, roleOf, typeOf } from "./acts";
import type { RecordedRun } from "./order";

export const backEnds = ["hosts", "nova", "heat"] as const;
export type BackEnd = (typeof backEnds)[number];

/** The same run with each back end that has it. */
export type Runs = Partial<Record<BackEnd, RecordedRun>>;

/** Of which resources of the other row each resource of a row waits, from few to all. */
export const relations = ["of the same machine", "of the control-plane nodes", "of the first node", ""] as const;
export type Relation = (typeof relations)[number];

/** Acts that one line of the page tells. */
export interface Row {
    title: string;
    kind: ActKind;
    types: readonly string[];
    on: readonly BackEnd[];
    /** Empty: it is one resource. */
    pace: string;
    /** Titles of the steps that run, in order; undefined: it has none. */
    steps?: readonly string[];
    waits: ReadonlyMap<Row, Relation>;
}

type Found = { run: RecordedRun; acts: RecordedAct[] };

interface Group extends Pick<Row, "title" | "kind"> {
    found: Map<BackEnd, Found>;
}

/** The rows of a run, each behind those that it waits for. What goes together with something else has none. Pure. */
export function rowsOf(runs: Runs, ends: boolean): Row[] {
    const groups = groupsOf(runs, ends);
    const waits = groups.map(() => new Map<Row, Relation>());
    const rows = groups.map(({ title, kind, found }, i): Row => {
        const acts = [...found.values()].flatMap(each => each.acts);
        return {
            ...{ title, kind, on: [...found.keys()], waits: waits[i]! },
            types: [...new Set(acts.map(({ resource }) => typeOf(resource)))],
            pace: paceOf([...found.values()], kind),
            ...(acts.some(({ steps }) => steps) && { steps: stepsOf(acts) }),
        };
    });
    for (const [i, { found }] of groups.entries())
        for (const [j, other] of groups.entries()) {
            const relation = i === j ? undefined : relationOf(found, other.found);
            if (relation !== undefined) waits[i]!.set(rows[j]!, relation);
        }
    return inOrder(rows);
}

function groupsOf(runs: Runs, ends: boolean): Group[] {
    const groups = new Map<string, Group>();
    for (const on of backEnds)
        for (const act of runs[on]?.acts ?? []) {
            const { title, key } = nameOf(act, ends);
            const group = groups.get(key) ?? { title, kind: act.kind, found: new Map<BackEnd, Found>() };
            groups.set(key, group);
            const its = group.found.get(on) ?? { run: runs[on]!, acts: [] };
            its.acts.push(act);
            group.found.set(on, its);
        }
    return [...groups.values()];
}

/** Resources of one type and title share a row, and those of the cloud that are made together. */
function nameOf({ kind, resource }: RecordedAct, ends: boolean): { title: string; key: string } {
    const type = typeOf(resource);
    const its = titleOf(type, kind === "delete" && ends ? "end" : kind, roleOf(resource)) ?? type;
    const isInCloud = resource.type.startsWith("openstack:");
    // The storage server lies outside of the nodes' stack.
    const whose = isInCloud && / \S+-storage(-|$)/.test(resource.label) ? "storage server: " : "";
    const stays = kind === "delete" && resource.retainOnDelete ? "; the cloud keeps them" : "";
    const title = `${whose}${its}${stays}`;
    return { title, key: [kind, title, isInCloud ? "" : type].join("|") };
}

/** Of what machines have each, such as their volumes. */
function paceOf(all: readonly Found[], kind: ActKind): string {
    const pairs = all.flatMap(({ run, acts }) => {
        const ofMachines = acts.filter(act => run.machineOf(act) !== undefined);
        return ofMachines.flatMap((one, i) =>
            ofMachines
                .slice(i + 1)
                .filter(other => run.machineOf(one) !== run.machineOf(other))
                .map(other => run.waitsFor(one, other) || run.waitsFor(other, one)),
        );
    });
    if (pairs.length === 0) return "";
    if (pairs.some(Boolean)) return pairs.every(Boolean) ? "one after another" : "in turns";
    const steps = all.flatMap(({ acts }) => stepsOf(acts));
    const rows = steps.flatMap(step => stepOf(step) ?? []);
    // A node that switches its version is drained.
    const interrupts = rows.some(({ id, disruptive }) => disruptive !== undefined || id === versionStep);
    return kind === "update" && interrupts ? "all at once; interrupted in turns" : "all at once";
}

function stepsOf(acts: readonly RecordedAct[]): string[] {
    const titles = [...new Set(acts.flatMap(({ steps = [] }) => steps))];
    return inOrderOfRun(titles.map(title => ({ title }))).map(({ title }) => title);
}

/** Undefined: nothing of the one row waits directly for something of the other one. */
function relationOf(ones: ReadonlyMap<BackEnd, Found>, others: ReadonlyMap<BackEnd, Found>): Relation | undefined {
    const found = [...ones].flatMap(([on, { run, acts }]) => {
        const pairs = acts.flatMap(one => (others.get(on)?.acts ?? []).map(other => [one, other] as const));
        const direct = pairs.filter(pair => run.waitsDirectly(...pair));
        return direct.length === 0 ? [] : [relationIn(run, pairs, direct)];
    });
    return found.length === 0 ? undefined : relations[Math.max(...found.map(each => relations.indexOf(each)))];
}

type Pair = readonly [one: RecordedAct, other: RecordedAct];

function relationIn(run: RecordedRun, pairs: readonly Pair[], direct: readonly Pair[]): Relation {
    const isOwn = ([one, other]: Pair) =>
        run.machineOf(one) !== undefined && run.machineOf(one) === run.machineOf(other);
    if (direct.every(isOwn)) return "of the same machine";
    const waits = pairs.filter(pair => run.waitsFor(...pair));
    if (waits.length === pairs.length) return "";
    const targets = new Set(waits.map(([, other]) => other));
    if ([...targets].some(({ resource }) => roleOf(resource) !== "controlPlane")) return "";
    return targets.size === 1 ? "of the first node" : "of the control-plane nodes";
}

/** Each row behind those that it waits for; otherwise as they were registered. */
function inOrder(rows: readonly Row[]): Row[] {
    const left = [...rows];
    const ordered: Row[] = [];
    while (left.length > 0) {
        const at = left.findIndex(({ waits }) => [...waits.keys()].every(each => ordered.includes(each)));
        if (at < 0) throw new Error(`these rows wait for each other: ${left.map(({ title }) => title).join("; ")}`);
        ordered.push(...left.splice(at, 1));
    }
    return ordered;
}
