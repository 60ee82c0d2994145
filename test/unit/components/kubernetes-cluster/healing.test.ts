import { deepStrictEqual, match } from "node:assert/strict";
import { KubernetesCluster } from "../../../../components";
import type { KubernetesClusterArgs } from "../../../../components/args/args";
import type { Heals } from "../../../../provider/operation/heals";
import { record, registered } from "../recorder";
import { clusterArgs } from "../sample-args";

type Heal = KubernetesClusterArgs["heal"];

const made = async (heal: Heal, heals?: Heals, maxUnavailable?: number) => {
    const args = clusterArgs(3, { a: 4, b: 1 }, heal && { heal });
    if (maxUnavailable !== undefined) args.pools!["a"]!.maxUnavailable = maxUnavailable;
    const { resources } = await record("up", () => new KubernetesCluster("core", args), {
        outputs: type => (type.endsWith(":OperationStart") && heals ? { heals } : {}),
    });
    return (label: string) => registered(resources, label);
};
const numbers = (...nodes: string[]): Heals => ({ run: "one", nodes: Object.fromEntries(nodes.map(n => [n, 2])) });

describe("a program that heals nodes", () => {
    const workers = ["a-1", "a-2", "a-3", "a-4", "b-1"];
    const turns = async (...how: Parameters<typeof made>) => {
        const find = await made(...how);
        return workers.map(name => find(`Node core-${name}`).after.filter(each => /Node core-[ab]/.test(each)));
    };
    const all = { run: "one", all: true };

    it("tells the operation's start the word, the names and what a heal is", async () => {
        const wishOf = async (heal: Heal) => (await made(heal))("OperationStart core").inputs["heal"];
        deepStrictEqual(await wishOf({ run: "one", nodes: ["a-1"] }), { run: "one", nodes: ["a-1"], cure: "rejoin" });
        deepStrictEqual(await wishOf(all), { run: "one", cure: "rejoin" });
        deepStrictEqual(await wishOf(undefined), undefined);
    });

    it("is no change of another input", async () => {
        const [one, other] = [await made({ run: "one", all: true }), await made(undefined)];
        const specOf = (find: typeof one) => find("OperationStart core").inputs["spec"];
        deepStrictEqual(specOf(one), specOf(other));
    });

    it("gives each node its number, and says of which the heal is withdrawn", async () => {
        const find = await made({ run: "one", nodes: ["a-1"] }, numbers("a-1", "a-2", "m1"));
        const of = (name: string) => {
            const { heal, healWithdrawn } = find(`Node core-${name}`).inputs;
            return [heal, healWithdrawn];
        };
        deepStrictEqual(["a-1", "a-2", "m1", "m2"].map(of), [
            [2, undefined],
            [2, true],
            [2, true],
            [undefined, undefined],
        ]);
    });

    it("lets workers of a pool take turns, as many at once as maxUnavailable says; pools do not wait for each other", async () => {
        const heals = numbers(...workers);
        const one = (name: string) => [`Node core-${name}`];
        deepStrictEqual(await turns(all, heals), [[], one("a-1"), one("a-2"), one("a-3"), []]);
        deepStrictEqual(await turns(all, heals, 2), [[], [], one("a-1"), one("a-2"), []]);
        const named = { run: "one", nodes: ["a-4", "a-2", "b-1"] };
        deepStrictEqual(await turns(named, heals), [[], [], [], one("a-2"), []]);
    });

    it("lets workers join together where none of them was asked for: a new cluster, and a program without heal", async () => {
        const none = [[], [], [], [], []];
        deepStrictEqual(await turns(all), none);
        deepStrictEqual(await turns(undefined, numbers(...workers)), none);
    });

    it("has nothing of it in the resources of a program without heal", async () => {
        const find = await made(undefined);
        for (const label of ["OperationStart core", "Node core-a-1", "Node core-m1"])
            match(Object.keys(find(label).inputs).join(" "), /^(?!.*heal)/i);
    });
});
