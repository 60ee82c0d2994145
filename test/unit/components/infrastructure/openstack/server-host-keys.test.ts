import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import type { RecordedRotation } from "../../../../../components/infrastructure/openstack/rotation-record";
import {
    hostKeyPlan,
    hostKeyProblem,
    serverHostKeys,
} from "../../../../../components/infrastructure/openstack/server-host-keys";
import type { ServerKeys } from "../../../../../provider/adapters/dynamic";
import { hostKeyOf } from "../../../../../provider/openstack/host-key";
import { keyOfThisRun } from "../../../../../provider/ssh";
import { isSecret, registered } from "../../recorder";
import { rotatedCluster } from "./rotated-cluster";

const first: RecordedRotation = { present: { word: "a", key: 0 } };
const added: RecordedRotation = { present: { word: "", key: 0 }, next: { word: "a", key: 1 } };
const ended: RecordedRotation = { present: { word: "a", key: 1 } };
const again: RecordedRotation = { present: { word: "a", key: 1 }, next: { word: "b", key: 2 } };

describe("which host keys a run takes", () => {
    type Row = [title: string, recorded: RecordedRotation | undefined, word: string, numbers?: number[]];
    const table: [...Row, plan: object][] = [
        ["of a new cluster the first ones", undefined, "a", undefined, { use: 0, before: 0 }],
        ["with a first word both, and it makes the others", undefined, "a", [0], { use: 0, before: 0, add: 1 }],
        ["both after a run that was killed", undefined, "a", [0, 1], { use: 0, before: 0, add: 1 }],
        ["both, without the record, where two seeds are there", undefined, "a", [2, 3], { use: 2, before: 2, add: 3 }],
        ["the only ones, without the record", undefined, "a", [2], { use: 2, before: 2 }],
        ["with the word of a new cluster the first ones", first, "a", [0], { use: 0, before: 0 }],
        ["after that with another word both", first, "b", [0], { use: 0, before: 0, add: 1 }],
        ["once all servers show them, the new ones alone", added, "a", [0, 1], { use: 1, before: 1 }],
        ["these when the former ones have gone", added, "a", [1], { use: 1, before: 1 }],
        ["no others afterwards", ended, "a", [1], { use: 1, before: 1 }],
        ["with a second word both", ended, "b", [1], { use: 1, before: 1, add: 2 }],
        [
            "both while a killed run's seed is there, whatever the word",
            ended,
            "a",
            [1, 2],
            { use: 1, before: 1, add: 2 },
        ],
        ["and then that one", again, "b", [1, 2], { use: 2, before: 2 }],
    ];
    for (const [title, recorded, word, numbers, plan] of table)
        it(title, () => assert.deepEqual(hostKeyPlan({ recorded, numbers }, word), plan));

    it("is asked for by a word that stays, and that no other one follows too early", () => {
        for (const [recorded, word, numbers] of [
            [undefined, undefined, undefined],
            [undefined, undefined, [0]],
            [undefined, "b", [0, 1]],
            [first, undefined, [0]],
            [first, "b", [0]],
            [added, "a", [0, 1]],
            [ended, "b", [1]],
            [ended, "b", [1, 2]],
        ] as const)
            assert.equal(hostKeyProblem({ recorded, numbers }, word), undefined);
        const said = (recorded: RecordedRotation | undefined, word: string | undefined, numbers: number[]) =>
            hostKeyProblem({ recorded, numbers }, word)!;
        for (const recorded of [added, ended])
            assert.match(said(recorded, undefined, [1]), /taken out of the program.*Put "a" back: it stays/);
        // A killed run has no record, and its servers may show the new keys.
        assert.match(said(undefined, undefined, [0, 1]), /taken out of the program.*Put the last word back/);
        assert.match(said(ended, undefined, [1, 2]), /Put the last word back/);
        assert.match(said(again, undefined, [1, 2]), /Put "b" back/);
        assert.match(said(added, "b", [0, 1]), /"b" comes before the rotation to "a" has ended.*Put "a" back/);
        assert.match(said(ended, "a", [1, 2]), /"a" comes back before the rotation to another word has ended/);
    });
});

describe("the host keys of servers", () => {
    it("never come of a seed that has ended: whoever knows this package knows the keys of an empty text", async () => {
        const keys = { seed: pulumi.output(""), seeds: pulumi.output({}) } as unknown as ServerKeys;
        const plan = Promise.resolve({ use: 0, before: 0 });
        for (const word of [undefined, "a"]) {
            const asked = { plan, isMade: Promise.resolve(false), problem: Promise.resolve(undefined) };
            const { seeds, present } = serverHostKeys(keys, { ...asked, ...(word && { word }) });
            for (const each of [seeds, present])
                await assert.rejects((each as any).promise(), /ServerKeys has no seed 0/);
        }
    });
});

describe("the first seed", () => {
    it("may be gone in the run that takes another one alone: nothing fails that is not used", async () => {
        const unhandled: unknown[] = [];
        const listen = (error: unknown) => unhandled.push(error);
        process.on("unhandledRejection", listen);
        try {
            const seed = Buffer.alloc(32, 1).toString("base64");
            const keys = { seed: pulumi.output(""), seeds: pulumi.output({ 1: seed }) } as unknown as ServerKeys;
            const asked = { isMade: Promise.resolve(true), problem: Promise.resolve(undefined), word: "a" };
            const { present } = serverHostKeys(keys, { ...asked, plan: Promise.resolve({ use: 1, before: 0 }) });
            assert.equal(await (present as any).promise(), seed);
            await new Promise(resolve => setTimeout(resolve, 50));
        } finally {
            process.off("unhandledRejection", listen);
        }
        assert.deepEqual(unhandled, []);
    });
});

describe("a program with a word for the host keys", () => {
    const seeds = [0, 1, 2].map(byte => Buffer.alloc(32, byte + 1).toString("base64"));
    const keyOf = (number: number, server: string) => hostKeyOf(seeds[number]!, server).publicKey;
    const w1 = "core-workers-1";
    /** `numbers`: of the seeds that the state has. */
    const run = (
        recorded: RecordedRotation | "unread" | undefined,
        { word = "a", numbers = [0], mode = "up", login, formerName = "core", first = seeds[0]! }: Partial<Given> = {},
    ) =>
        rotatedCluster({
            ...{ type: "HostKeyRotation", recorded, mode, before: { seedNumbers: numbers }, formerName },
            rotate: { ...(word && { hostKeys: word }), ...(login && { loginKey: login }) },
            serverKeys: {
                ...{ seed: first, privateKey: "private", publicKey: "ssh-ed25519 AAAA" },
                seeds: { 1: seeds[1], 2: seeds[2] },
            },
        });
    interface Given {
        word: string;
        numbers: number[];
        mode: "up" | "preview";
        login: string;
        formerName: string;
        /** "": it has ended. */
        first: string;
    }
    type Resources = Awaited<ReturnType<typeof run>>;
    const inputsOf = (resources: Resources, label: string) => registered(resources, label).inputs as any;
    /** Which keys of the worker the inputs of a resource have. */
    const held = (resources: Resources, label: string) => {
        const text = JSON.stringify(inputsOf(resources, label));
        const found: (number | string)[] = [0, 1, 2].filter(number => text.includes(keyOf(number, w1)));
        return [...found, ...(text.includes(keyOfThisRun) ? [keyOfThisRun] : [])];
    };
    const seedsIn = (resources: Resources, label: string) => {
        const text = JSON.stringify(inputsOf(resources, label));
        return [0, 1, 2].filter(number => text.includes(seeds[number]!));
    };
    const made = (resources: Resources) => {
        const { userData } = inputsOf(resources, `Instance ${w1}`);
        return [0, 1, 2].filter(number => userData.includes(keyOf(number, w1)));
    };

    it("without a word has no such resource, and asks for no seeds", async () => {
        const resources = await run(undefined, { word: "" });
        assert.ok(!resources.some(({ label }) => label.startsWith("HostKeyRotation")));
        assert.equal("hostKeys" in inputsOf(resources, "ServerKeys core"), false);
        assert.deepEqual(held(resources, `Host ${w1}`), [0]);
        assert.deepEqual(seedsIn(resources, "OperationStart core"), [0]);
    });

    it("takes either key everywhere while servers get the new one, and gives new servers the former one", async () => {
        const resources = await run(undefined);
        assert.deepEqual(inputsOf(resources, "ServerKeys core").hostKeys, { before: 0, make: 1 });
        for (const type of ["Host", "Node"]) assert.deepEqual(held(resources, `${type} ${w1}`), [0, 1]);
        assert.deepEqual(seedsIn(resources, "OperationStart core"), [0, 1]);
        assert.deepEqual(made(resources), [0]);
        const { machines, use, add, seed, newSeed, targets } = inputsOf(resources, "HostKeyRotation core");
        assert.deepEqual([use, add, seed, newSeed], [0, 1, seeds[0], seeds[1]]);
        assert.deepEqual(machines.slice(-2), ["core-control-plane-3", w1]);
        const last = JSON.parse(targets).at(-1);
        assert.deepEqual([last.name, last.isNode], [w1, true]);
        assert.equal(last.connection.hostKey, `${keyOf(0, w1)}\n${keyOf(1, w1)}`);
    });

    it("shows at preview that connections change, and takes the key of a killed run there", async () => {
        const resources = await run(undefined, { mode: "preview" });
        assert.equal("hostKeys" in inputsOf(resources, "ServerKeys core"), false);
        assert.deepEqual(held(resources, `Host ${w1}`), [0, keyOfThisRun]);
        const killed = await run(undefined, { mode: "preview", numbers: [0, 1] });
        assert.deepEqual(held(killed, `Host ${w1}`), [0, 1]);
    });

    it("takes the new key alone once all servers show it, gives it to new servers, and has the former seed forgotten", async () => {
        for (const mode of ["up", "preview"] as const) {
            const resources = await run(added, { numbers: [0, 1], mode });
            assert.deepEqual(held(resources, `Node ${w1}`), [1]);
            assert.deepEqual(made(resources), [1]);
            const asked = inputsOf(resources, "ServerKeys core").hostKeys;
            assert.deepEqual(asked, mode === "up" ? { before: 1 } : undefined);
            const text = JSON.stringify(resources.map(({ inputs }) => inputs));
            assert.ok(!text.includes(seeds[0]!));
            assert.ok(!text.includes(keyOf(0, w1)));
        }
    });

    it("refuses by ServerKeys, which all servers wait for, what cannot go on, also of both words", async () => {
        assert.match(
            inputsOf(await run(ended, { word: "", numbers: [1] }), "ServerKeys core").problems,
            /Put "a" back/,
        );
        const { problems, unread } = inputsOf(await run("unread"), "ServerKeys core");
        assert.match(problems, /^the state of the stack cannot be read: .*rotate\.hostKeys knows/);
        assert.ok(unread);
        const both = inputsOf(await run("unread", { login: "a" }), "ServerKeys core");
        assert.match(both.problems, /rotate\.loginKey knows.*; .*rotate\.hostKeys knows/);
    });

    it("finds what the state says in the run in which the cluster's resource gets another name by an alias", async () => {
        for (const [word, recorded, numbers, keys] of [
            ["a", ended, [1], [1]],
            ["b", ended, [1, 2], [1, 2]],
            ["a", added, [0, 1], [1]],
            ["a", undefined, [0, 1], [0, 1]],
        ] as const) {
            const first = (numbers as readonly number[]).includes(0) ? seeds[0]! : "";
            const resources = await run(recorded, { word, numbers: [...numbers], formerName: "site", first });
            assert.deepEqual(held(resources, `Node ${w1}`), keys);
        }
        const renamed = await run(ended, { word: "", numbers: [1], formerName: "site" });
        assert.match(inputsOf(renamed, "ServerKeys core").problems, /Put "a" back/);
    });

    it("keeps seeds secret", async () => {
        const resources = await run(undefined);
        const open = JSON.stringify(
            resources.map(({ raw }) => raw),
            (_, value) => (isSecret(value) ? "" : value),
        );
        for (const seed of seeds) assert.ok(!open.includes(seed));
        assert.doesNotMatch(open, /PRIVATE KEY/);
    });
});
