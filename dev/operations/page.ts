import { inOrderOfRun, stepOf } from "../../provider/cluster/known-steps";
import type { Role } from "../../provider/common/model";
import { roleOf, typeOf } from "./acts";
import { type BackEnd, backEnds, type Row, type Runs, rowsOf } from "./rows";

/** An operation of the page, with the runs that show it. */
export interface Operation {
    /** The heading. Other pages link to it. */
    title: string;
    /** What the recorded programs do. */
    about: string;
    runs: Runs;
    /** The cluster is deleted. */
    ends?: boolean;
}

/** docs/operations.md. The first operation makes everything: its resources have all steps. Pure. */
export function operationsPage(operations: readonly Operation[]): string {
    return [
        "# What each operation does, in order",
        "",
        "This page is made from recorded runs: two programs with all parts of a cluster, and what Pulumi does to lead from the one to the other. A row is the work",
        "of the resources that it names. It begins when the rows that it waits for have ended; rows that do not wait for each other run at the same time.",
        "A row with nothing to do is left out. A run with several operations goes once through the rows of all of them. [How it works](how-it-works.md) explains the resources.",
        "",
        "* What waits: a resource waits for the resources on which it depends. Deletions come after everything else, in the reverse order.",
        "* **all at once; interrupted in turns**: steps that interrupt something run on one control-plane node after another, and on as many workers of a pool as its `maxUnavailable` says. [The steps](#the-steps) say what they interrupt.",
        "* **…; then …**: what is replaced leaves first.",
        "* [Hooks](hooks.md) are scripts, modules and manifests of yours: those of the start run before any machine changes, those of the end after everything else.",
        "",
        ...operations.flatMap(section),
        ...stepLists(operations[0]!),
    ].join("\n");
}

function section({ title, about, runs, ends = false }: Operation): string[] {
    const rows = rowsOf(runs, ends);
    const here = backEnds.filter(each => runs[each] !== undefined);
    return [
        `## ${title}`,
        "",
        `${about}`,
        "",
        "| | what | by | how many at a time | waits for |",
        "|---|---|---|---|---|",
        ...rows.map((row, i) => line(row, i, rows, here)),
        "",
        ...together(runs),
    ];
}

function line(row: Row, i: number, rows: readonly Row[], here: readonly BackEnd[]): string {
    const on = row.on.length < here.length ? `${row.on.join(", ")}: ` : "";
    const steps = row.kind === "update" && row.steps ? `. ${stepsText(row.steps)}` : "";
    const waits = [...row.waits]
        .filter(([other]) => row.kind !== "delete" || other.kind === "delete")
        .map(([other, which]) => [rows.indexOf(other) + 1, which] as const)
        .sort(([one], [other]) => one - other)
        .map(([number, which]) => (which === "" ? `${number}` : `${number} ${which}`));
    const all = row.kind === "delete" && rows.some(({ kind }) => kind !== "delete") && waits.length === 0;
    const cells = [
        i + 1,
        on + row.title + steps,
        row.types.join(", "),
        row.pace,
        all ? "all changes" : waits.join(", "),
    ];
    return `| ${cells.join(" | ")} |`;
}

const stepsText = (steps: readonly string[]) => (steps.length > 0 ? `Steps: ${steps.join("; ")}` : "No step changed");

/** What is deleted together with something else. */
function together(runs: Runs): string[] {
    const found = new Map<string, Map<string, BackEnd[]>>();
    for (const on of backEnds)
        for (const { resource } of runs[on]?.together ?? []) {
            const target = resource.deletedWith.split(" ")[0]!;
            const types = found.get(target) ?? new Map<string, BackEnd[]>();
            found.set(target, types);
            types.set(typeOf(resource), [...new Set([...(types.get(typeOf(resource)) ?? []), on])]);
        }
    if (found.size === 0) return [];
    const here = backEnds.filter(each => runs[each] !== undefined).length;
    const named = ([type, on]: [string, BackEnd[]]) => (on.length < here ? `${type} (${on.join(", ")})` : type);
    return [
        "Nothing is done for these by themselves, because they go together with something else:",
        "",
        ...[...found].map(([target, types]) => `* with ${target}: ${[...types].map(named).join(", ")}`),
        "",
    ];
}

/** Of each type whose resources have steps: the steps, in order. */
function stepLists({ runs }: Operation): string[] {
    const lists = new Map<string, Map<string, Set<Role | undefined>>>();
    for (const { resource, steps = [] } of backEnds.flatMap(on => runs[on]?.acts ?? []))
        for (const title of steps.filter(each => stepOf(each) !== undefined)) {
            const list = lists.get(typeOf(resource)) ?? new Map<string, Set<Role | undefined>>();
            lists.set(typeOf(resource), list);
            list.set(title, (list.get(title) ?? new Set()).add(roleOf(resource)));
        }
    return [
        "## The steps",
        "",
        "Preview shows by these titles what runs on which machine. A step that did not change does not run.",
        "",
        ...[...lists].flatMap(([type, list]) => [
            `### Steps of ${type}`,
            "",
            ...inOrderOfRun([...list].map(([title, roles]) => ({ title, roles }))).map(stepLine),
            "",
        ]),
    ];
}

function stepLine({ title, roles }: { title: string; roles: ReadonlySet<Role | undefined> }): string {
    const only = roles.size === 1 && roles.has("controlPlane") ? " (control-plane nodes)" : "";
    const interrupts = stepOf(title)?.disruptive;
    return `* ${title}${only}${interrupts === undefined ? "" : `; interrupts: ${interrupts}`}`;
}
