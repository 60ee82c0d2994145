import { deepStrictEqual, ok } from "node:assert/strict";
import { generateSchema } from "../../../../components/schema/generate";
import { effects, inputsOf } from "../../../../components/schema/inputs-table";
import { fixedInputs } from "../../../../provider/contract/fixed-inputs";

describe("what a change of an input does", () => {
    const schema = generateSchema() as unknown as Parameters<typeof inputsOf>[0];
    const inputs = Object.keys(schema.resources).flatMap(token => {
        const resource = token.split(":").at(-1)!;
        return inputsOf(schema, resource).map(input => ({ ...input, resource }));
    });

    it("is said by `@change` in the docstring of each input, of its interface, or of the input that contains it", () => {
        const names = inputs.map(({ resource, place }) => `${resource}: ${place}`);
        const containsOthers = (name: string) =>
            names.some(other => [".", "["].some(next => other.startsWith(name + next)));
        const unsaid = inputs.map(({ change, isSaidInside }) => change === undefined && !isSaidInside);
        deepStrictEqual(
            names.filter((name, index) => unsaid[index] && !containsOthers(name)),
            [],
        );
        ok(inputs.length > 700);
    });

    it("says refused wherever a change is refused, and names each flag that is refused", () => {
        for (const name of Object.keys(fixedInputs)) {
            const [, flag = ""] = /^controlPlane\.extraArgs\.\w+\.(.*)/.exec(name) ?? [];
            const row = name
                .replace(/^infrastructure\.nova\.network/, "infrastructure.heat.network")
                .replace(/^(controlPlane\.extraArgs)\..*/, "$1")
                .replace(/^kubernetes\.source$/, "kubernetes.source.image.enabled")
                .replace(/template$/, "template.file");
            const { change = "" } = inputs.find(({ place }) => place === row)!;
            ok(/^refused|Refused: |: refused/.test(change) && change.includes(flag), `${name}: ${change}`);
        }
    });

    it("uses every effect, so that its meaning is worth a line", () => {
        const used = new Set(inputs.flatMap(({ change }) => (change === undefined ? [] : [change.split(":")[0]!])));
        deepStrictEqual([...used].sort(), Object.keys(effects).sort());
    });
});
