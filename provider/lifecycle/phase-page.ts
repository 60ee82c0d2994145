import { type Act, type BackEnd, type Phase, reference, type Which } from "./phase";
import { type PhaseList, phaseLists } from "./phases";

/** The lists as a Markdown page: docs/operations.md is this text. */
export function phasePage(): string {
    return [
        "# What each operation does, in order",
        "",
        "A run goes through these phases; each is the work of the resources that it names. A phase begins when those that it waits for have ended, and",
        "phases that do not wait for each other run at the same time. Phases in which nothing changes are left out. A run with several operations goes",
        "once through the phases of all of them.",
        "",
        "The order needs no waiting inside: *edge* means that the resources of a phase depend on those of the other, *reverse edge* that the engine deletes",
        "what depends on others first, *engine* that it deletes at the end what the program no longer has, and *replacement* that a resource is deleted before it",
        "is made again. `hostSteps` and `nodeSteps` are lists of steps in the package; preview shows their titles. [How it works](how-it-works.md) explains the resources.",
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
    const by = phase.by.filter(type => onlyWith[type] === undefined || on.includes(onlyWith[type]));
    const what = [
        on.length < here.length ? `${on.join(", ")}: ${title}` : title,
        ...(steps ? [`its steps: \`${steps}\``] : []),
        ...(hook ? [`place of the hook \`${list.kind}_${hook}\``] : []),
    ].join("; ");
    return `| ${i + 1} | ${what} | ${by.join(", ")} | ${pace} | ${waits(phase, list)} |`;
}

const backEnds = ({ on = ["hosts", "nova", "heat"] }: { on?: readonly BackEnd[] }) => on;

/** The servers are made by one type with each back end. */
const onlyWith: Record<string, BackEnd> = { Instance: "nova", StackV1: "heat" };

const whichOf: Record<Which, (number: string) => string> = {
    all: number => number,
    own: number => `${number} of the same machine`,
    role: number => `${number} of all control-plane nodes`,
    first: number => `${number} of the first node`,
};

/** "4, 9 of the same machine (edge); 12 (engine)". */
function waits(later: Phase, { phases }: PhaseList): string {
    const byGuarantee = new Map<string, string[]>();
    for (const { id, which } of later.after.map(reference)) {
        const at = phases.findIndex(each => each.id === id);
        if (at < 0) continue;
        const guarantee = guaranteeOf(later, phases[at]!);
        const others = byGuarantee.get(guarantee) ?? [];
        byGuarantee.set(guarantee, [...others, whichOf[which](String(at + 1))]);
    }
    return [...byGuarantee].map(([guarantee, numbers]) => `${numbers.join(", ")} (${guarantee})`).join("; ");
}

function guaranteeOf({ act: later = "apply" }: Phase, { act: earlier = "apply" }: Phase): string {
    const removes = (act: Act) => act !== "apply";
    if (removes(later) && removes(earlier)) return "reverse edge";
    if (later === "replace") return "edge of what is replaced";
    if (removes(later)) return "engine";
    return removes(earlier) ? "replacement" : "edge";
}

if (require.main === module) process.stdout.write(phasePage());
