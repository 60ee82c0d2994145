import { deepStrictEqual } from "node:assert/strict";
import { KubernetesCluster } from "../../../../components";
import type { UpgradeOrderArgs } from "../../../../components/args/upgrade-args";
import type { NodeName } from "../../../../components/infrastructure/infrastructure";
import { upgradeOrder } from "../../../../components/infrastructure/upgrade-order";
import { record, registered } from "../recorder";
import { clusterArgs } from "../sample-args";

const worker = (name: string, pool: string): NodeName => ({ name, role: "worker", pool });
const nodes: NodeName[] = [
    { name: "m1", role: "controlPlane" },
    ...[worker("a1", "a"), worker("a2", "a"), worker("b1", "b"), worker("c1", "c")],
];

describe("the order in which workers move to another version", () => {
    const of = (args?: UpgradeOrderArgs) => {
        const order = upgradeOrder(args, nodes);
        const workers = nodes.slice(1);
        return {
            before: Object.fromEntries(workers.map(({ name }) => [name, order.before(name).join(" ")])),
            inputs: nodes.map(node => order.inputsOf(node)),
            names: order.inOrder(workers).map(({ name }) => name),
        };
    };

    it("is none without an order: all move at the same time", () => {
        const { before, inputs, names } = of();
        deepStrictEqual(before, { a1: "", a2: "", b1: "", c1: "" });
        deepStrictEqual(inputs, [{}, {}, {}, {}, {}]);
        deepStrictEqual(names, ["a1", "a2", "b1", "c1"]);
    });

    it("has workers and pools; a worker's own entry counts before that of its pool, and who has none comes last", () => {
        const { before, names } = of({ order: ["a2", "c", "a"] });
        deepStrictEqual(names, ["a2", "c1", "a1", "b1"]);
        deepStrictEqual(before, { a2: "", c1: "a2", a1: "c1", b1: "a1" });
    });

    it("passes over entries that have no worker", () => {
        deepStrictEqual(of({ order: ["a", "gone", "b"] }).before, { a1: "", a2: "", b1: "a1 a2", c1: "b1" });
    });

    const pauses: [promise: string, args: UpgradeOrderArgs, held: string][] = [
        ["holds all workers behind the control plane", { pauseAfter: "controlPlane" }, "a1 a2 b1 c1"],
        ["holds those behind an entry", { order: ["a2", "b"], pauseAfter: "a2" }, "a1 b1 c1"],
        ["holds those without an entry behind the last one", { order: ["a2", "b"], pauseAfter: "b" }, "a1 c1"],
        ["holds nothing without a pause", { order: ["a2"] }, ""],
    ];
    for (const [promise, args, held] of pauses)
        it(promise, () => {
            const holds = of(args).inputs.flatMap(({ upgradeTurn }, i) => (upgradeTurn?.holds ? [nodes[i]!.name] : []));
            deepStrictEqual(holds.join(" "), held);
        });

    it("is an order of the engine, in which the control plane still comes first", async () => {
        const args = clusterArgs(3, { a: 2, b: 1 });
        args.kubernetes.upgrade = { order: ["b", "a-2"], pauseAfter: "b", soakSeconds: 5 };
        const { resources } = await record("up", () => new KubernetesCluster("core", args));
        const of = (name: string) => registered(resources, `Node core-${name}`);
        const workersBefore = (name: string) => of(name).after.filter(each => /Node core-[ab]/.test(each));
        deepStrictEqual(workersBefore("b-1"), []);
        deepStrictEqual(workersBefore("a-2"), ["Node core-b-1"]);
        deepStrictEqual(workersBefore("a-1"), ["Node core-a-2"]);
        deepStrictEqual(of("b-1").inputs["upgradeTurn"], { soakSeconds: 5 });
        deepStrictEqual(of("a-1").inputs["upgradeTurn"], { holds: true, soakSeconds: 5 });
        deepStrictEqual(of("m1").inputs["upgradeTurn"], undefined);
    });
});
