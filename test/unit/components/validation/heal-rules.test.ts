import { deepStrictEqual } from "node:assert/strict";
import type { KubernetesClusterArgs } from "../../../../components/args/args";
import { problems } from "../../../../components/validation/validate";
import { cloudArgs } from "../infrastructure/openstack/sample-cloud-args";
import { clusterArgs } from "../sample-args";

type Heal = NonNullable<KubernetesClusterArgs["heal"]>;

const of = (heal: Heal, args = clusterArgs(3, { a: 1 })) =>
    problems("KubernetesCluster", { ...args, clusterName: "core", heal });

describe("what a program may ask to heal", () => {
    it("is a list of names, or everything, by a word", () => {
        deepStrictEqual(of({ run: "2026-11-26", nodes: ["a-1"] }), []);
        deepStrictEqual(of({ run: "x", all: true, cure: "rejoin" }), []);
        deepStrictEqual(of({ run: "x", nodes: ["core-workers-1"], cure: "server" }, cloudArgs()), []);
    });

    const exactly = "heal: needs exactly one of nodes and all: true";
    const table: [promise: string, heal: Heal, said: string][] = [
        ["neither", { run: "x" }, exactly],
        ["not everything", { run: "x", all: false }, exactly],
        ["both", { run: "x", nodes: ["a-1"], all: true }, exactly],
        ["no node", { run: "x", nodes: [] }, "heal.nodes: names no node"],
        ["a node twice", { run: "x", nodes: ["a-1", "m1", "a-1"] }, "heal.nodes: a-1 is named twice"],
        [
            "a sentence",
            { run: "once more", all: true },
            'heal.run: "once more" is not allowed: a word of 1 to 100 letters, digits, dots, - and _, which begins with a letter or digit',
        ],
        [
            "another cure",
            { run: "x", all: true, cure: "reboot" },
            'heal.cure: "reboot" is not allowed: "rejoin" or "server"',
        ],
        [
            "a new server without a cloud",
            { run: "x", nodes: ["a-1"], cure: "server" },
            'heal.cure: "server" needs a cloud that makes servers (heat or nova); with hosts the node joins again on its own machine ("rejoin")',
        ],
    ];
    for (const [promise, heal, said] of table) it(`is not ${promise}`, () => deepStrictEqual(of(heal), [said]));
});
