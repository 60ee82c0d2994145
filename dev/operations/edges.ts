import { roleOf, typeOf } from "./acts";
import type { RecordedRun } from "./order";

/** pipeline/timeline/edges.ts: which resources wait for which on other machines, as reports show it. Pure. */
export function edgesFile(runs: readonly RecordedRun[]): string {
    const edges = new Map<string, Set<string>>();
    for (const { acts, waitsDirectly, machineOf } of runs)
        for (const one of acts)
            for (const other of acts) {
                const machine = machineOf(one);
                const isOwn = machine !== undefined && machine === machineOf(other);
                if (isOwn || !waitsDirectly(one, other)) continue;
                const [key, target] = [one, other].map(({ resource }) => keyOf(typeOf(resource), roleOf(resource)));
                edges.set(key!, (edges.get(key!) ?? new Set()).add(target!));
            }
    const lines = [...edges].map(([key, targets]) => `    ${quoted(key)}: "${[...targets].sort().join(", ")}",`);
    return [
        "/**",
        " * Made from recorded programs by `npx tsx test/unit/docs/operations/write.ts`. Of each type: the types whose resources it waits for, also on",
        " * other machines. Machines and nodes by role.",
        " */",
        "export const edges: Readonly<Record<string, string>> = {",
        ...lines.sort(),
        "};",
        "",
    ].join("\n");
}

const keyOf = (type: string, role: string | undefined) => (role === undefined ? type : `${type} ${role}`);
const quoted = (key: string) => (key.includes(" ") ? `"${key}"` : key);
