import { deepStrictEqual, match } from "node:assert/strict";
import type { KubernetesClusterArgs } from "../../../../components/args/args";
import { problems } from "../../../../components/validation/validate";
import { cloudArgs } from "../infrastructure/openstack/sample-cloud-args";
import { clusterArgs } from "../sample-args";

type Wish = NonNullable<KubernetesClusterArgs["replaceServers"]>;

const of = (replaceServers: Wish, args: KubernetesClusterArgs = cloudArgs()) =>
    problems("KubernetesCluster", { ...args, clusterName: "core", replaceServers });

describe("what a program may ask to replace", () => {
    it("is a list of nodes and pools, or everything, by a word", () => {
        deepStrictEqual(of({ run: "2026-11", nodes: ["core-workers-1", "workers"] }), []);
        deepStrictEqual(of({ run: "2026-11", all: true }), []);
    });

    const exactly = "replaceServers: needs exactly one of nodes and all: true";
    const table: [promise: string, wish: Wish, said: string][] = [
        ["neither", { run: "x" }, exactly],
        ["both", { run: "x", nodes: ["workers"], all: true }, exactly],
        ["no node", { run: "x", nodes: [] }, "replaceServers.nodes: names no node"],
        ["a pool twice", { run: "x", nodes: ["a", "a"] }, "replaceServers.nodes: a is named twice"],
    ];
    for (const [promise, wish, said] of table) {
        it(`is not ${promise}`, () => deepStrictEqual(of(wish), [said]));
    }

    it("is servers of nova: not machines that exist, and not what Heat would delete together", () => {
        const wish = { run: "x", all: true };
        match(of(wish, clusterArgs(3, { a: 1 })).join(), /^replaceServers: needs servers of a cloud \(nova\)/);
        const { nova } = cloudArgs().infrastructure;
        const byHeat = { ...cloudArgs(), infrastructure: { heat: nova! } };
        match(of(wish, byHeat).join(), /^replaceServers: is only for nova: .*heal with cure "server"/);
    });
});
