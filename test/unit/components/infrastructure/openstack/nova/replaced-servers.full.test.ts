import { assertNoCircle, beside, sets } from "./replacing-program";

/** Smaller in replaced-servers.test.ts: all nodes beside each, and each set beside all together. */
describe("a program that replaces some of its servers", () => {
    for (const [what, more] of Object.entries(beside)) {
        it(`has no circle beside ${what}, whichever they are`, () => assertNoCircle(more, sets));
    }
});
