import { playAll } from "./sequences/play";

/** More of them: sequences.full.test.ts. */
describe("sequences of changes and faults, on fake machines", () => {
    it("break no rule in twenty short ones", () =>
        playAll(
            Array.from({ length: 20 }, (_, i) => i + 1),
            { operations: 2, ends: false },
        ));
});
