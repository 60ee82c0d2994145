import { deepStrictEqual, ok } from "node:assert/strict";
import { changes } from "../../../../components/schema/changes";
import { effects } from "../../../../components/schema/effects";
import { generateSchema } from "../../../../components/schema/generate";
import { inputsTable } from "../../../../components/schema/inputs-table";
import { fixedInputs } from "../../../../provider/contract/fixed-inputs";

/** The rows of docs/inputs.md, generated from the schema: resource → [input, effect of a change]. */
function shown(): Record<string, [input: string, type: string, change: string][]> {
    const sections = inputsTable(generateSchema() as never)
        .split("\n## ")
        .slice(1);
    return Object.fromEntries(
        sections.map(section => [
            section.slice(0, section.indexOf("\n")),
            [...section.matchAll(/^\| `([^`]+)` \| ([^|]*) \| .* \| ([^|]*) \|$/gm)].map(
                ([, input, type, change]) => [input!, type!, change!] as [string, string, string],
            ),
        ]),
    );
}

describe("what a change of an input does", () => {
    const resources = shown();

    it("is said of every input of schema.json", () => {
        for (const [resource, rows] of Object.entries(resources)) {
            const silent = rows.filter(([input, type, change]) => {
                const holdsOthers = rows.some(
                    ([other]) => other.startsWith(`${input}.`) || other.startsWith(`${input}[`),
                );
                // Its type was shown before, with its rows.
                const isShownBefore = /object$/.test(type) && !holdsOthers;
                return change === "" && !holdsOthers && !isShownBefore;
            });
            deepStrictEqual(
                silent.map(([input]) => input),
                [],
                `${resource}: say in components/schema/changes.ts what a change of these inputs does`,
            );
        }
        ok(Object.values(resources).flat().length > 200);
    });

    it("is said of nothing that is no input", () => {
        for (const [resource, rows] of Object.entries(changes)) {
            const known = new Set(resources[resource]!.map(([input]) => input));
            deepStrictEqual(
                Object.keys(rows).filter(name => !known.has(name)),
                [],
                resource,
            );
        }
    });

    it("says refused wherever a change is refused", () => {
        for (const name of Object.keys(fixedInputs)) {
            const row = name
                .replace(/^infrastructure\.nova\.network/, "infrastructure.heat.network")
                .replace(/^(controlPlane\.extraArgs)\..*/, "$1")
                .replace(/^controlPlane\.endpoint$/, "controlPlane.endpoint.vip.address")
                .replace(/^kubernetes\.source$/, "kubernetes.source.image.enabled")
                .replace(/template$/, "template.file");
            const { effect, note = "" } = (changes.KubernetesCluster![row] ?? changes.StorageServer![row])!;
            ok(effect === "refused" || /refused|only the port/i.test(note), `${name}: ${effect} ${note}`);
        }
    });

    it("uses every effect, so that its meaning is worth a line", () => {
        const used = new Set(Object.values(changes).flatMap(rows => Object.values(rows).map(({ effect }) => effect)));
        deepStrictEqual([...used].sort(), Object.keys(effects).sort());
    });
});
