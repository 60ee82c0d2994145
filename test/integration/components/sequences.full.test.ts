import { playAll } from "./sequences/play";

/**
 * Scaling out and in, names in `remove`, settings, other machines, changes taken back; steps that fail, machines that are away, the operator
 * killed. The components and resources are real; small parts stand in for Pulumi's engine, for the machines, for etcd and the API. After each
 * run rules.ts and world.ts say what must be so: etcd keeps its majority, one control-plane node at most is out, who stays is not reset, nothing
 * of those that left remains, a second run changes nothing, the operation's line is what happened.
 */
describe("sequences of changes and faults, on fake machines, for long", function () {
    this.timeout("45m");

    it("break no rule in two hundred, each day others", () => {
        const today = Math.floor(Date.now() / 86_400_000) % 10_000;
        return playAll(
            Array.from({ length: 200 }, (_, i) => today * 1000 + i),
            { operations: 4, ends: true },
        );
    });

    it("break none in those that once broke one", () =>
        playAll([783_104, 783_173, 783_188], { operations: 4, ends: true }));
});
