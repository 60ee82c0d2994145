import { deepStrictEqual, match, ok, rejects } from "node:assert/strict";
import { type Registered, registered } from "../../../recorder";
import {
    all,
    assertNoCircle,
    beside,
    made,
    masters,
    nodesBefore,
    replacedAt,
    sets,
    workers,
} from "./replacing-program";

describe("a program that replaces servers", () => {
    const needsOf = (resources: Registered[]) =>
        JSON.parse(registered(resources, "CloudCheck core").inputs["needs"] as string).servers as {
            name: string;
            replaced?: true;
        }[];

    it("tells the operation's start the names of the nodes, and the checks which servers are made again", async () => {
        const resources = await made({ run: "one", nodes: ["workers"] });
        deepStrictEqual(registered(resources, "OperationStart core").inputs["replaceServers"], {
            run: "one",
            nodes: workers,
            pending: workers,
        });
        const replaced = needsOf(resources).filter(need => need.replaced);
        deepStrictEqual(
            replaced.map(({ name }) => name),
            workers,
        );
        deepStrictEqual(registered(resources, `Node ${workers[0]}`).inputs["replacement"], {
            image: "debian",
            flavor: "medium",
        });
        ok(!("replacement" in registered(resources, `Node ${masters[0]}`).inputs));
    });

    it("names each node once, none of a pool that has none, and leaves what is no pool for the refusal", async () => {
        const namesOf = async (nodes: string[], count = 0, pools = { workers: { count } }) =>
            (
                registered(await made({ run: "one", nodes }, { pools }), "OperationStart core").inputs[
                    "replaceServers"
                ] as { nodes: string[] }
            ).nodes;
        deepStrictEqual(await namesOf(["workers"]), []);
        deepStrictEqual(await namesOf(["workers", "toString"]), ["toString"]);
        deepStrictEqual(await namesOf([workers[1]!, "workers"], 2), [workers[1], workers[0]]);
    });

    it("tells it which nodes a stopped upgrade has left behind", async () => {
        const at = Object.fromEntries(all.map(name => [name, name === masters[0] ? "1.34.4" : "1.33.8"]));
        const resources = await made({ run: "one", nodes: [masters[1]!] }, { at });
        const { behind } = registered(resources, "OperationStart core").inputs["replaceServers"] as {
            behind: string[];
        };
        deepStrictEqual(behind, [...masters.slice(1), ...workers]);
    });

    it("tells it which workers this run moves in place: not those that pauseAfter holds back", async () => {
        const [one, two] = workers as [string, string];
        const at = Object.fromEntries(all.map(name => [name, masters.includes(name) ? "1.34.4" : "1.34.3"]));
        const behindWith = async (upgrade: object) => {
            const kubernetes = { version: "1.34.4", upgrade };
            const resources = await made({ run: "one", nodes: [one] }, { at, kubernetes });
            return (registered(resources, "OperationStart core").inputs["replaceServers"] as { behind?: string[] })
                .behind;
        };
        deepStrictEqual(await behindWith({ order: [one, two], pauseAfter: one }), [one]);
        deepStrictEqual(await behindWith({ order: [one, two] }), workers);
    });

    it("lets each server wait for the nodes before it, without a circle", async () => {
        const resources = await made({ run: "one", all: true }, { heals: replacedAt(1, workers) });
        deepStrictEqual(nodesBefore(resources, masters[1]!), []);
        ok(nodesBefore(resources, workers[0]!).includes(`Node ${masters[2]}`));
        ok(nodesBefore(resources, workers[1]!).includes(`Node ${workers[0]}`));
        for (const name of workers) {
            const trigger = registered(resources, `Instance ${name}`).replacementTrigger as string[];
            match(trigger[0]!, / 1$/);
        }
        // All are registered: a circle would wait for ever.
        deepStrictEqual(resources.filter(({ label }) => label.startsWith("Node ")).length, all.length);
        ok(resources.some(({ label }) => label === "OperationEnd core"));
    });

    it("lets control-plane nodes go one by one, and workers behind them, without a circle", async () => {
        const nodes = ["controlPlane", "workers"];
        const resources = await made({ run: "one", nodes }, { heals: replacedAt(1, all) });
        deepStrictEqual(nodesBefore(resources, masters[0]!), []);
        ok(nodesBefore(resources, masters[1]!).includes(`Node ${masters[0]}`));
        ok(nodesBefore(resources, masters[2]!).includes(`Node ${masters[1]}`));
        ok(nodesBefore(resources, workers[0]!).includes(`Node ${masters[2]}`));
        deepStrictEqual(resources.filter(({ label }) => label.startsWith("Node ")).length, all.length);
        ok(resources.some(({ label }) => label === "OperationEnd core"));
    });

    it("lets a worker that joins come first, also with an order of upgrades, a heal of before and another version, without a circle", async () => {
        const [one, two] = workers as [string, string];
        const newOne = "core-workers-3";
        const pools = { workers: { count: 3 } };
        const heal = { run: "before", all: true };
        const kubernetes = { version: "1.34.5", upgrade: { order: [one] } };
        const heals = replacedAt(1, workers);
        // A worker that left once, and was healed before that, waits for those before it.
        const cameBack = { heal, heals: { ...heals, nodes: { ...heals.nodes, [newOne]: 1 } } };
        const rows: [more: object, waits: string[]][] = [
            [{}, workers],
            [{ heal }, workers],
            [{ kubernetes }, [two]],
            [cameBack, []],
            [{ heals: cameBack.heals }, workers],
        ];
        for (const [more, waits] of rows) {
            const resources = await made({ run: "one", nodes: ["workers"] }, { heals, pools, ...more });
            deepStrictEqual(
                workers.filter(name => nodesBefore(resources, name).includes(`Node ${newOne}`)),
                waits,
            );
            deepStrictEqual(nodesBefore(resources, newOne), []);
            deepStrictEqual(resources.filter(({ label }) => label.startsWith("Node ")).length, all.length + 1);
            ok(resources.some(({ label }) => label === "OperationEnd core"));
        }
    });

    it("is refused for control-plane nodes beside a restore of etcd", async () => {
        const etcdBackup = { repository: { folder: "/backup" }, password: "long-enough-word" } as never;
        const more = { etcdBackup, etcdRestore: { run: "one" } };
        await rejects(made({ run: "one", nodes: [masters[1]!] }, more), /replaceServers: names core-control-plane-2/);
    });

    it("waits for no node any more when all have their new servers", async () => {
        const done = Object.fromEntries(workers.map(name => [name, 1]));
        const resources = await made({ run: "one", all: true }, { heals: replacedAt(1, workers), done });
        for (const name of all) deepStrictEqual(nodesBefore(resources, name), []);
        ok(needsOf(resources).every(({ replaced }) => replaced === undefined));
        ok(registered(resources, `Node ${masters[0]}`).after.includes(`Host ${masters[1]}`));
    });

    it("keeps a server whose turn has not begun when the program asks no more", async () => {
        const done = { [workers[0]!]: 1 };
        const resources = await made(undefined, { heals: replacedAt(1, workers), done });
        const triggers = workers.map(name => registered(resources, `Instance ${name}`).replacementTrigger as string[]);
        match(triggers[0]![0]!, / 1$/);
        deepStrictEqual(triggers[1]![0]!.includes(" "), false);
        const { healWithdrawn } = registered(resources, `Node ${workers[1]}`).inputs;
        deepStrictEqual(healWithdrawn, true);
    });

    describe("of control-plane nodes has no circle", () => {
        for (const [what, more] of Object.entries(beside)) {
            it(`beside ${what}`, () => assertNoCircle(more, what === "all" ? sets : [all]));
        }
    });

    it("has nothing of it in the resources of other programs", async () => {
        const resources = await made(undefined);
        for (const { label, inputs } of resources) match(Object.keys(inputs).join(" "), /^(?!.*replace)/i, label);
    });
});
