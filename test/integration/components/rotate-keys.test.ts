import { strict as assert } from "node:assert";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { rotationStateArgv } from "../../../provider/procedures/encryption-key/encryption-acts";
import { serviceAccountStateArgv } from "../../../provider/procedures/service-account-key/service-account-acts";
import { skipIf } from "../../support/skip";
import { asStory } from "../../support/story";
import { notBuilt } from "../../support/user-project";
import { type Fixture, openFixture } from "./fleet-fixture";

const masters = ["m1", "m2", "m3"];

/** Real engine and dynamic resources, simulated machines. */
describe("the rotation of keys by Pulumi's engine", function () {
    asStory(this);
    let fixture: Fixture;
    /** What each node says of its keys and of etcd. */
    const said = { keys: "key1", etcd: "yes", tokens: "keys=old\nsigns=old" };
    const former = new Set<string>();

    const give = (encryptionKey?: string) => {
        fixture.args.rotate = encryptionKey === undefined ? undefined : { encryptionKey };
        fixture.give();
    };
    const state = () => fixture.project.pulumi.run(["stack", "export", "--show-secrets"]);
    const resourceIn = (text: string, type: string) =>
        JSON.parse(text).deployment.resources.find((each: { type: string }) => each.type.endsWith(`:${type}`));
    /** What ClusterKeys holds: a secret output is JSON in the exported state. */
    const keysIn = (text: string) => JSON.parse(resourceIn(text, "ClusterKeys").outputs.keys.plaintext);
    const currentKey = async () => keysIn(await state()).encryptionKey;
    /** The steps that a run begins. */
    const begun = async (run: () => Promise<unknown>) => {
        const { events } = fixture.cluster.fleet;
        const before = events.length;
        await run();
        const steps = events.slice(before).filter(({ event }) => event === "begin");
        // Files that are placed on all nodes at once are in no fixed order.
        return steps
            .map(({ node, step }) => `${node} ${step}`)
            .filter(each => / (host|node)\.|rewrite|renew-token/.test(each) && !each.endsWith("-placed"));
    };
    const stage = (name: string) => masters.map(node => `${node} node.encryption-key-${name}`);
    /** The first node tries the new key before the others get it. */
    const whole = [
        ...["m1 node.encryption-key-read", ...stage("read"), ...stage("write")],
        ...["m1 cluster.rewrite-secrets", ...stage("alone")],
    ];

    before(async function () {
        skipIf(this, notBuilt());
        fixture = await openFixture(masters.length, 1, () => 0);
        for (const name of masters) {
            const node = fixture.cluster.fleet.node(name);
            const of = (keys: () => string) => () => ({
                stdout: `member=${node.agent.belongsTo?.cluster ?? ""}\nready=yes\nours=yes\n${keys()}\netcd=${node.agent.etcdWorks ? said.etcd : ""}\nmembers=${masters.join(" ")}\n`,
            });
            node.on(
                rotationStateArgv,
                of(() => `keys=${said.keys}`),
            );
            node.on(
                serviceAccountStateArgv,
                of(() => said.tokens),
            );
        }
        await fixture.project.pulumi.up();
        former.add(await currentKey());
    });
    after(() => fixture?.close());

    it("is seen at preview, and refused there while etcd is not healthy; no machine is changed", async () => {
        give("one");
        const preview = await fixture.project.pulumi.preview("--diff");
        assert.match(preview, /EncryptionRotation[\s\S]*m1: "its API server gets to know the new encryption key/);
        assert.doesNotMatch(preview, /nfv:(Host|Node|VimRegistration|ClusterNetwork|ClusterKeys)/);
        said.etcd = "";
        await assert.rejects(fixture.project.pulumi.preview(), /m1[\s\S]*its etcd is not healthy; nothing was changed/);
        said.etcd = "yes";
    });

    it("runs once for each word, changes no Node, and leaves no former key in the state", async () => {
        for (const word of ["one", "two"]) {
            give(word);
            assert.deepEqual(await begun(() => fixture.project.pulumi.up()), whole);
            const text = await state();
            const keys = keysIn(text);
            said.keys = keys.encryptionKeyName;
            for (const key of former) assert.ok(!text.includes(key), "the state has a former key");
            former.add(keys.encryptionKey);
            await fixture.project.pulumi.up({ expectNoChanges: true });
        }
    });

    it("heals a control-plane node that is lost in its middle, with the request left in the program, and goes on", async () => {
        give("lost");
        fixture.cluster.fleet.node("m2").agent.failStep("node.encryption-key-write");
        await assert.rejects(fixture.project.pulumi.up(), /m2/);
        fixture.cluster.fleet.node("m2").agent.etcdWorks = false;
        await assert.rejects(
            fixture.project.pulumi.preview(),
            /m2[\s\S]*etcd is not healthy[\s\S]*stays in the program/,
        );
        fixture.args.heal = { run: "lost", nodes: ["m2"] };
        fixture.give();
        const steps = await begun(() => fixture.project.pulumi.up());
        assert.ok(steps.includes("m2 node.leave"), steps.join());
        assert.deepEqual(steps.slice(-whole.length), whole);
        fixture.args.heal = undefined;
        said.keys = keysIn(await state()).encryptionKeyName;
        fixture.give();
        await fixture.project.pulumi.up({ expectNoChanges: true });
    });

    it("is not half done by a run with --target, and goes on with the next one", async () => {
        give("three");
        const target = ["up", "--yes", "--skip-preview", "--target", "**EncryptionRotation::*"];
        await assert.rejects(fixture.project.pulumi.run(target), /this run leaves out the resource ClusterKeys/);
        await fixture.project.pulumi.run([...target.slice(0, -1), "**ClusterKeys::*"]);
        assert.deepEqual(await begun(() => fixture.project.pulumi.up()), whole);
        said.keys = keysIn(await state()).encryptionKeyName;
    });

    it("is not undone when the word is taken away", async () => {
        const key = await currentKey();
        give();
        assert.deepEqual(await begun(() => fixture.project.pulumi.up()), []);
        assert.equal(await currentKey(), key);
    });

    it("of service accounts brings the new key to all control-plane nodes, and ends the former one after the grace", async () => {
        const ofTokens = (part: string) => masters.map(node => `${node} node.service-account-key-${part}`);
        const giveTokens = (serviceAccountKey: string) => {
            fixture.args.rotate = { serviceAccountKey };
            fixture.give();
        };
        giveTokens("one");
        const preview = await fixture.project.pulumi.preview("--diff");
        assert.match(preview, /ServiceAccountRotation[\s\S]*m1: "its API server restarts to accept tokens/);
        assert.doesNotMatch(preview, /nfv:(Host|Node|ClusterNetwork|ClusterKeys|EncryptionRotation)/);
        const before = keysIn(await state()).serviceAccountKey;
        const signed = [...ofTokens("known"), ...ofTokens("sign")];
        assert.deepEqual(await begun(() => fixture.project.pulumi.up()), signed);
        const text = await state();
        const { serviceAccountKeyName, serviceAccountKey } = keysIn(text);
        assert.notEqual(serviceAccountKey, before);
        assert.ok(!text.includes(before.split("\n")[1]), "the state has the former key");
        said.tokens = `keys=${serviceAccountKeyName} old\nsigns=${serviceAccountKeyName}`;
        await fixture.project.pulumi.up({ expectNoChanges: true });
        const deployment = JSON.parse(await fixture.project.pulumi.run(["stack", "export"]));
        const rotation = deployment.deployment.resources.find(({ type }: { type: string }) =>
            type.endsWith(":ServiceAccountRotation"),
        );
        rotation.outputs.signsSince = "2026-01-01T00:00:00.000Z";
        const file = join(fixture.project.folder, "later.json");
        writeFileSync(file, JSON.stringify(deployment));
        await fixture.project.pulumi.run(["stack", "import", "--file", file]);
        assert.deepEqual(await begun(() => fixture.project.pulumi.up()), [
            "m1 cluster.renew-token-secrets",
            ...ofTokens("alone"),
        ]);
        said.tokens = `keys=${serviceAccountKeyName}\nsigns=${serviceAccountKeyName}`;
        await fixture.project.pulumi.up({ expectNoChanges: true });
    });
});
