import { strictEqual, throws } from "node:assert/strict";
import { substitute } from "../../../../provider/cluster-api/variables";

const cases: [text: string, values: Record<string, string>, result: string][] = [
    ["a: ${A}", { A: "1" }, "a: 1"],
    ["a: ${ A }", { A: "1" }, "a: 1"],
    ["${A:=:8443}", {}, ":8443"],
    ["${A:=x}", { A: "y" }, "y"],
    ["${A:=x}", { A: "" }, "x"],
    ["${A}", { A: "" }, ""],
    ["${A=x}${B:-y}${C-z}", {}, "xyz"],
    ["${A:=}", {}, ""],
    ["${A:=${B:=c}-d}", {}, "c-d"],
    ["${A:=${B}}", { B: "b" }, "b"],
    ["$${A} ${A}", { A: "1" }, "${A} 1"],
    ["$A $ {A}", { A: "1" }, "$A $ {A}"],
    ["${A}", { A: "${B}" }, "${B}"],
    ["${toString:=x}", {}, "x"],
];

describe("variables in components", () => {
    for (const [text, values, result] of cases) {
        it(`${text} with ${JSON.stringify(values)} is ${result}`, () => {
            strictEqual(substitute(text, values, "components of x"), result);
        });
    }

    it("without value and default are named, all of them", () => {
        throws(() => substitute("${B} ${A} ${C:=c} ${D:=${E}}", {}, "components of x"), {
            code: "INVALID_INPUT",
            message: /components of x: variables without a value: A, B, E/,
        });
    });

    for (const text of ["${A^}", "${A:3}", "${#A}", "${A/b/c}", "${}", "${1A}"]) {
        it(`${text} is refused`, () => {
            throws(() => substitute(text, { A: "1" }, "components of x"), {
                code: "INVALID_INPUT",
                message: /is not supported/,
            });
        });
    }
});
