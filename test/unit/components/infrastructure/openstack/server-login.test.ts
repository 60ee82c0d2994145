import assert from "node:assert/strict";
import type { RecordedRotation } from "../../../../../components/infrastructure/openstack/rotation-record";
import { loginPlan, loginProblem } from "../../../../../components/infrastructure/openstack/server-login";
import { isSecret, registered } from "../../recorder";
import { rotatedCluster } from "./rotated-cluster";

describe("which login key a run uses", () => {
    const first: RecordedRotation = { present: { word: "a", key: 0 } };
    const added: RecordedRotation = { present: { word: "", key: 0 }, next: { word: "a", key: 1 } };
    const ended: RecordedRotation = { present: { word: "a", key: 1 } };
    const again: RecordedRotation = { present: { word: "a", key: 1 }, next: { word: "b", key: 2 } };
    const table: [
        title: string,
        recorded: RecordedRotation | undefined,
        word: string,
        keys: number[] | undefined,
        plan: object,
    ][] = [
        ["of a new cluster the first one", undefined, "a", undefined, { use: 0, before: 0 }],
        ["with a first word the first one, and makes another", undefined, "a", [0], { use: 0, before: 0, add: 1 }],
        ["the same after a run that was killed", undefined, "a", [0, 1], { use: 0, before: 0, add: 1 }],
        ["without the record, which a stopped destroy took, the lowest", undefined, "a", [2, 3], { use: 2, before: 2 }],
        ["with the word of a new cluster the first one", first, "a", [0], { use: 0, before: 0 }],
        ["after that with another word", first, "b", [0], { use: 0, before: 0, add: 1 }],
        ["once all machines know it, the new one", added, "a", [0, 1], { use: 1, before: 0 }],
        ["the same with another word, which the check refuses", added, "b", [0, 1], { use: 1, before: 0 }],
        ["when the former one has ended, no other, and the former one goes", ended, "a", [0, 1], { use: 1, before: 1 }],
        ["with a second word", ended, "b", [1], { use: 1, before: 1, add: 2 }],
        ["and then that one", again, "b", [1, 2], { use: 2, before: 1 }],
        [
            "with a word that there was, a new key",
            { present: { word: "b", key: 2 } },
            "a",
            [2],
            { use: 2, before: 2, add: 3 },
        ],
    ];
    for (const [title, recorded, word, keys, plan] of table) {
        it(title, () => assert.deepEqual(loginPlan(recorded, word, keys), plan));
    }

    it("is asked for by a word that stays, and that no other one follows too early", () => {
        for (const [recorded, word] of [
            [undefined, undefined],
            [first, undefined],
            [first, "b"],
            [added, "a"],
            [ended, "b"],
        ] as const)
            assert.equal(loginProblem(recorded, word), undefined);
        for (const recorded of [added, ended])
            assert.match(loginProblem(recorded, undefined)!, /taken out of the program.*Put "a" back: it stays/);
        assert.match(loginProblem(again, undefined)!, /Put "b" back/);
        assert.match(
            loginProblem(added, "b")!,
            /"b" comes before the rotation to "a" has ended.*Put "a" back for one more/,
        );
    });
});

describe("a program with a word for the login key", () => {
    const pair = (key: number) => ({ privateKey: `private ${key}`, publicKey: `ssh-ed25519 AAAA${key}` });
    /** `recorded`: what the state says; undefined: there was no rotation; "unread": it cannot be read. */
    const run = (
        recorded: RecordedRotation | "unread" | undefined,
        word?: string,
        mode: "up" | "preview" = "up",
        formerName = "core",
    ) =>
        rotatedCluster({
            ...{ recorded, mode, formerName, ...(word && { rotate: { loginKey: word } }) },
            serverKeys: { seed: "c2VlZA==", ...pair(0), logins: { 1: pair(1), 2: pair(2) } },
        });
    const keyOf = (resources: Awaited<ReturnType<typeof run>>) => {
        const { targets, ...others } = registered(resources, "LoginRotation core").inputs as any;
        const [{ connection }] = JSON.parse(targets);
        return { private: connection.privateKey, ...others };
    };
    const ended: RecordedRotation = { present: { word: "a", key: 1 } };

    it("without a word has no such resource, and asks for no keys", async () => {
        const resources = await run(undefined);
        assert.ok(!resources.some(({ label }) => label.startsWith("LoginRotation")));
        assert.equal("login" in registered(resources, "ServerKeys core").inputs, false);
    });

    it("refuses by ServerKeys, which all servers wait for, what cannot go on", async () => {
        const { problems } = registered(await run(ended), "ServerKeys core").inputs;
        assert.match(String(problems), /Put "a" back/);
    });

    it("is refused where the state cannot be read; without a word ServerKeys decides", async () => {
        const { problems, login } = registered(await run("unread", "a"), "ServerKeys core").inputs;
        assert.match(String(problems), /^the state of the stack cannot be read: .*rotate\.loginKey/);
        assert.equal(login, undefined);
        const { inputs } = registered(await run("unread"), "ServerKeys core");
        assert.deepEqual([inputs["problems"], inputs["unread"]], [undefined, problems]);
        assert.equal("unread" in registered(await run(undefined, "a"), "ServerKeys core").inputs, false);
    });

    it("logs in with the former key while the new one is made known, and asks for it at `up` only", async () => {
        const resources = await run(undefined, "a");
        const { private: key, use, add, user, machines, newKey } = keyOf(resources);
        assert.deepEqual([key, use, add, user, newKey], ["private 0", 0, 1, "nfv", "private 1"]);
        assert.deepEqual(Object.keys(machines).slice(-2), ["core-control-plane-3", "core-workers-1"]);
        assert.deepEqual(registered(resources, "ServerKeys core").inputs["login"], { before: 0, make: 1 });
        const previewed = await run(undefined, "a", "preview");
        assert.equal("login" in registered(previewed, "ServerKeys core").inputs, false);
        assert.equal(keyOf(previewed).private, "private 0");
    });

    it("names a storage server as its cloud does, and as our notes on it do", async () => {
        const storage = {
            server: { flavor: "m1.small" },
            ...{ volumes: { data: { sizeGiB: 1 } }, exports: { "/exports/data": { volume: "data" } } },
        };
        const resources = await rotatedCluster({
            ...{ rotate: { loginKey: "a" }, more: { storage } },
            serverKeys: { seed: "c2VlZA==", ...pair(0), logins: { 1: pair(1) } },
        });
        const targets = JSON.parse(registered(resources, "LoginRotation core").inputs["targets"] as string);
        const named = targets.map(({ name, node }: { name: string; node?: string }) => [name, node]);
        assert.deepEqual(named.slice(-2), [
            ["core-workers-1", undefined],
            ["core-storage", "storage"],
        ]);
    });

    it("logs in with the new key everywhere once it is known, and gives it to new servers", async () => {
        const resources = await run({ present: { word: "", key: 0 }, next: { word: "a", key: 1 } }, "a");
        assert.equal(keyOf(resources).private, "private 1");
        // The next program may not be able to read the state.
        assert.deepEqual(registered(resources, "ServerKeys core").inputs["login"], { before: 0 });
        const text = JSON.stringify(
            resources.map(({ label, inputs }) => (label.startsWith("ServerKeys") ? {} : inputs)),
        );
        assert.doesNotMatch(text, /private 0/);
        const { userData } = registered(resources, "Instance core-workers-1").inputs as { userData: string };
        assert.match(userData, /AAAA1/);
        assert.doesNotMatch(userData, /AAAA0/);
        const { publicKey } = registered(resources, "Keypair core").inputs;
        assert.equal(publicKey, pair(0).publicKey, "another one would replace servers");
    });

    it("finds what the state says in the run in which the cluster's resource gets another name by an alias", async () => {
        assert.equal(keyOf(await run(ended, "a", "up", "site")).private, "private 1");
        const { problems } = registered(await run(ended, undefined, "up", "site"), "ServerKeys core").inputs;
        assert.match(String(problems), /Put "a" back/);
    });

    it("has the keys that ended forgotten, and keeps logins secret", async () => {
        const resources = await run(ended, "a");
        assert.deepEqual(registered(resources, "ServerKeys core").inputs["login"], { before: 1 });
        for (const all of [resources, await run(undefined, "a")]) {
            const open = JSON.stringify(
                all.map(({ raw }) => raw),
                (_, value) => (isSecret(value) ? "" : value),
            );
            assert.doesNotMatch(open, /private \d/);
        }
    });
});
