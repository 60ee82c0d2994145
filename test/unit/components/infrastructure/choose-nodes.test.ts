import { deepStrictEqual, ok } from "node:assert/strict";
import * as fc from "fast-check";
import { chosen, chosenNumber, chosenNumbers } from "../../../../components/infrastructure/choose-nodes";

const machines = (count: number) => Array.from({ length: count }, (_, i): [string, number] => [`w${i + 1}`, i + 1]);
const names = (count: number | undefined, remove: string[] = [], there = 9) =>
    chosen(machines(there), { ...(count !== undefined && { count }), remove }).map(([name]) => name);

describe("which nodes a group has", () => {
    it("are the first by name, and all without a count", () => {
        deepStrictEqual(names(2), ["w1", "w2"]);
        deepStrictEqual(names(undefined, [], 3), ["w1", "w2", "w3"]);
        deepStrictEqual(chosenNumbers(3), [1, 2, 3]);
        deepStrictEqual(chosenNumbers(0), []);
    });

    it("are without those that are named; the others keep their names, and the next ones join", () => {
        deepStrictEqual(names(2, ["w2"]), ["w1", "w3"]);
        deepStrictEqual(names(3, ["w2"]), ["w1", "w3", "w4"]);
        deepStrictEqual(names(undefined, ["w2"], 3), ["w1", "w3"]);
        deepStrictEqual(chosenNumbers(3, [2]), [1, 3, 4]);
        deepStrictEqual(chosenNumbers(2, [3, 1, 3]), [2, 4]);
    });

    it("are the former ones again when nobody is named any more", () => {
        deepStrictEqual(names(3), ["w1", "w2", "w3"]);
    });

    const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 6 });
    const count = fc.integer({ min: 0, max: 8 });

    it("is the same for machines as for numbers", () => {
        fc.assert(
            fc.property(count, numbers, (n, left) => {
                const numbersOfNames = chosen(machines(30), { count: n, remove: left.map(each => `w${each}`) });
                deepStrictEqual(
                    numbersOfNames.map(([, number]) => number),
                    chosenNumbers(n, left),
                );
                deepStrictEqual(
                    chosenNumbers(n, left),
                    Array.from({ length: n }, (_, i) => chosenNumber(i + 1, left)),
                );
            }),
        );
    });

    it("has the asked number of nodes, and never one that is named", () => {
        fc.assert(
            fc.property(count, numbers, (n, left) => {
                const there = chosenNumbers(n, left);
                deepStrictEqual(new Set(there).size, n);
                ok(!there.some(number => left.includes(number)));
            }),
        );
    });

    /** What a program does next: name a node that is there and lower the count with it, or change the count. */
    const change = fc.oneof(
        fc.record({ kind: fc.constant("remove" as const), which: fc.nat(), many: fc.integer({ min: 1, max: 3 }) }),
        fc.record({ kind: fc.constant("grow" as const), by: fc.integer({ min: 1, max: 4 }) }),
        fc.record({ kind: fc.constant("shrink" as const), by: fc.integer({ min: 1, max: 4 }) }),
    );

    it("after any sequence of changes: exactly those leave that were asked for, and nobody who stays has another name", () => {
        fc.assert(
            fc.property(count, fc.array(change, { maxLength: 12 }), (first, changes) => {
                let [wanted, left, there] = [first, [] as number[], chosenNumbers(first)];
                for (const next of changes) {
                    const before = there;
                    let asked: number[] = [];
                    if (next.kind === "remove") {
                        asked = before.filter((_, i) => (i + next.which) % 3 === 0).slice(0, next.many);
                        [left, wanted] = [[...left, ...asked], wanted - asked.length];
                    } else if (next.kind === "grow") wanted += next.by;
                    else {
                        const fewer = Math.min(next.by, wanted);
                        [asked, wanted] = [before.slice(before.length - fewer), wanted - fewer];
                    }
                    there = chosenNumbers(wanted, left);
                    deepStrictEqual(
                        before.filter(number => !there.includes(number)),
                        asked,
                    );
                    const joined = there.filter(number => !before.includes(number));
                    ok(next.kind === "grow" || joined.length === 0);
                    ok(!joined.some(number => left.includes(number)), "one that was removed came back");
                    deepStrictEqual(chosenNumbers(wanted, left), there, "another run chooses others");
                }
            }),
        );
    });

    it("brings a name back in place of the highest one when it is taken out of the list", () => {
        fc.assert(
            fc.property(fc.integer({ min: 1, max: 8 }), numbers, fc.nat(), (n, left, which) => {
                if (left.length === 0) return;
                const back = left[which % left.length]!;
                const before = chosenNumbers(n, left);
                const after = chosenNumbers(
                    n,
                    left.filter(number => number !== back),
                );
                const gone = before.filter(number => !after.includes(number));
                const come = after.filter(number => !before.includes(number));
                if (back > before.at(-1)!) deepStrictEqual([gone, come], [[], []]);
                else deepStrictEqual([gone, come], [[before.at(-1)], [back]]);
            }),
        );
    });
});
