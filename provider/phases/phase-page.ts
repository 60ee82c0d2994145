import { type Act, type BackEnd, type Phase, reference, type Which } from "./phase";
import { type PhaseList, phaseLists } from "./phases";

/** Why the engine keeps the order of two phases. */
const rules = {
    dependency: "the resources of this phase depend on those of the other one, so they come after them",
    registration:
        "the program registers these resources when those of the other phase are made, and they do not depend on them",
    "reverse dependency":
        "resources of the other phase depend on those of this one, and what depends on others is deleted first",
    "end of the run": "the program no longer has these resources; the engine deletes them after everything else",
    "deletion first": "the former resource was deleted in the other phase; only then it is made again",
    "dependency of the replacement":
        "the former resource is deleted when its replacement is due, and the replacement depends on the resources of the other phase",
} as const;

/** The lists as a Markdown page: docs/operations.md is this text. */
export function phasePage(): string {
    return [
        "# What each operation does, in order",
        "",
        "A run goes through these phases. Each phase is the work of the resources that it names. A phase begins when those that it waits for have ended;",
        "phases that do not wait for each other run at the same time. Phases in which nothing changes are left out. A run with several operations goes",
        "once through the phases of all of them. `hostSteps` and `nodeSteps` are lists of steps in the package; preview shows their titles.",
        "[How it works](how-it-works.md) explains the resources.",
        "",
        "[Hooks](hooks.md) are scripts, modules and manifests of yours that run before and after an operation. *The hooks* marks where: those of the",
        "start before any machine changes, those of the end after everything else that the list names before them.",
        "",
        "Pulumi's engine keeps the order. The word in brackets says by which rule:",
        "",
        "| rule | meaning |",
        "|---|---|",
        ...Object.entries(rules).map(([rule, meaning]) => `| ${rule} | ${meaning} |`),
        "",
        ...phaseLists.flatMap(section),
    ].join("\n");
}

function section(list: PhaseList): string[] {
    return [
        `## ${titleOf(list)}`,
        "",
        ...(list.when ? [`When ${list.when}.`, ""] : []),
        "| | what | by | how many at a time | waits for |",
        "|---|---|---|---|---|",
        ...list.phases.map((phase, i) => row(phase, i, list)),
        "",
    ];
}

function titleOf({ kind, direction, on }: PhaseList): string {
    return [kind.replaceAll("_", " "), direction, on && `(${on.join(", ")})`].filter(Boolean).join(" ");
}

function row(phase: Phase, i: number, list: PhaseList): string {
    const { title, pace = "", steps, hook } = phase;
    const here = backEnds(list);
    const on = here.filter(each => backEnds(phase).includes(each));
    const isOfNodes = phase.only === undefined;
    const by = phase.by.filter(type => !isOfNodes || onlyWith[type] === undefined || on.includes(onlyWith[type]));
    const what = [
        on.length < here.length ? `${on.join(", ")}: ${title}` : title,
        ...(steps ? [`its steps: \`${steps}\``] : []),
        ...(hook ? [`the hooks \`${list.kind}_${hook}\``] : []),
    ].join("; ");
    return `| ${i + 1} | ${what} | ${by.join(", ")} | ${pace} | ${waits(phase, list)} |`;
}

const backEnds = ({ on = ["hosts", "nova", "heat"] }: { on?: readonly BackEnd[] }) => on;

/** The nodes' servers are made by one type with each back end. */
const onlyWith: Record<string, BackEnd> = { Instance: "nova", StackV1: "heat" };

const whichOf: Record<Which, (number: string) => string> = {
    all: number => number,
    own: number => `${number} of the same machine`,
    role: number => `${number} of all control-plane nodes`,
    registered: number => number,
    first: number => `${number} of the first node`,
};

/** "4, 9 of the same machine (dependency); 12 (end of the run)". */
function waits(later: Phase, { phases }: PhaseList): string {
    const byRule = new Map<string, string[]>();
    for (const { id, which } of later.after.map(reference)) {
        const at = phases.findIndex(each => each.id === id);
        if (at < 0) continue;
        const rule = which === "registered" ? "registration" : ruleOf(later, phases[at]!);
        byRule.set(rule, [...(byRule.get(rule) ?? []), whichOf[which](String(at + 1))]);
    }
    return [...byRule].map(([rule, numbers]) => `${numbers.join(", ")} (${rule})`).join("; ");
}

function ruleOf({ act: later = "apply" }: Phase, { act: earlier = "apply" }: Phase): keyof typeof rules {
    const removes = (act: Act) => act !== "apply";
    if (removes(later) && removes(earlier)) return "reverse dependency";
    if (later === "replace") return "dependency of the replacement";
    if (removes(later)) return "end of the run";
    return removes(earlier) ? "deletion first" : "dependency";
}

if (require.main === module) process.stdout.write(phasePage());
