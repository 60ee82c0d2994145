import assert from "node:assert/strict";
import { mutantsOf, mutated } from "../../../../dev/mutation/mutants";

/** Source → the sources with one mistake each. */
const table: Record<string, string[]> = {
    "f(a < b);": [";", "f(a <= b);", "f(a >= b);"],
    "const x = a ?? b;": ["const x = a && b;"],
    "if (a) b();": ["if (true) b();", "if (false) b();", "if (a) ;"],
    "const x = !a;": ["const x = (a);"],
    "const x = a?.b;": ["const x = a.b;"],
    "const x = n - 1;": ["const x = n + 1;", "const x = n - (1 + 1);"],
    "const x = [a];": ["const x = [];"],
    "const x = all.filter(one);": ["const x = all;"],
    "const x = all.some(one);": ["const x = all.every(one);"],
    "const f = () => a;": ["const f = () => undefined;"],
    "function f() { return a; }": ["function f() {}"],
    "throw e;": [";"],
    'const x = "code";': ['const x = "";'],
};

/** No mistake that a test could or should notice. */
const none = [
    'const x = "a sentence";',
    'const x = "a " + b;',
    "const x = `kubeadm $" + "{a}`;",
    'import { a } from "b";',
    'export * from "b";',
    "type A = 1 | true;",
    'interface A { a: "b" }',
    'const x: "b" = a as "b";',
    "const x = [];",
    "function f() {}",
];

describe("the mutants of a source", () => {
    for (const [source, expected] of Object.entries(table)) {
        it(`of ${source}`, () =>
            assert.deepEqual(
                mutantsOf(source).map(mutant => mutated(source, mutant)),
                expected,
            ));
    }

    for (const source of none) it(`of ${source}: none`, () => assert.deepEqual(mutantsOf(source), []));

    it("say where they are", () => {
        const [mutant] = mutantsOf("f;\nconst x = a === b;\n").slice(1);
        assert.deepEqual([mutant?.line, mutant?.original, mutant?.text], [2, "===", "!=="]);
    });
});
