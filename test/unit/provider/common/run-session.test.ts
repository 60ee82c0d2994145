import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Provider, serve } from "../../../../provider/adapters/serve";
import { RunSession } from "../../../../provider/common/run-session";
import { atMost } from "../../../../provider/contract/at-most";
import { journalArgv, readJournal } from "../../../../provider/machine/journal";
import { cloudClient } from "../../../../provider/machine/server";
import { type CommandResult, Connections, type RunOptions, type SshTarget } from "../../../../provider/ssh";
import { FakeFleet } from "../../../../testing";
import type { Identity } from "../identity/made-identity";
import { FakeNode } from "../steps/fake-node";
import { machine, testIdentity } from "../support/cluster";

/** One run as its host sees it: the methods of its resources, and its messages. */
interface Run {
    session: RunSession;
    provider: Provider;
    said: string[];
}

function newRun(): Run {
    const session = new RunSession();
    const said: string[] = [];
    const note = (_urn: string, text: string) => void said.push(text);
    return { session, said, provider: serve(session, { report: () => {}, warn: note, note }) };
}

const codeOf = (work: Promise<unknown>) =>
    work.then(
        () => "done",
        error => (error as { code?: string }).code,
    );

describe("two runs in one process", () => {
    let identity: Identity;
    let fleet: FakeFleet;
    let one: Run;
    let other: Run;

    before(async () => {
        identity = await testIdentity();
    });
    beforeEach(async () => {
        fleet = await FakeFleet.start({ nodes: ["w1"] });
        [one, other] = [newRun(), newRun()];
    });
    afterEach(async () => {
        await Promise.all([one.session.close(), other.session.close()]);
        await fleet.stop();
    });

    const prepare = ({ provider }: Run, connection: SshTarget = fleet.target("w1")) =>
        provider.create("Host", {
            ...machine(identity, "w1", "worker", { ...connection, connectTimeoutSeconds: 3 }, {}).host,
        });
    const connects = () => fleet.events.filter(({ event }) => event === "connect").length;

    it("one after another: the next one does not know the host keys that the former one has seen", async () => {
        // The program gives no host key, so a run keeps the one that it has seen.
        const { hostKey: _, ...open } = fleet.target("w1");
        await prepare(one, open);
        await one.session.part(Connections).close();
        fleet.node("w1").changeHostKey();
        assert.equal(await codeOf(prepare(one, open)), "HOST_KEY_CHANGED", "or this proves nothing");
        const { outs } = await prepare(other, open);
        assert.equal((outs as { hostKey?: string }).hostKey, fleet.node("w1").hostKey);
    });

    it("side by side: each has connections of its own, and the end of one leaves the other's open", async () => {
        await prepare(one);
        assert.equal(connects(), 1);
        await prepare(other);
        assert.equal(connects(), 2);
        await one.session.close();
        await prepare(other);
        assert.equal(connects(), 2);
    });

    it("side by side: each takes the lease of a machine under its own name, so that it sees the other's", async () => {
        class OurNode extends FakeNode {
            override async exec(argv: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
                return argv === journalArgv ? { code: 0, stdout: "of c1 n1", stderr: "" } : super.exec(argv, options);
            }
        }
        const node = new OurNode();
        for (const run of [one, one, other]) await readJournal(run, node, "c1", "n1");
        const [first, again, ofOther] = node.calls.flatMap(call => (call.verb === "open" ? [call.holder] : []));
        assert.equal(first, again);
        assert.notEqual(first, ofOther);
    });

    it("side by side: jobs of one kind wait only for those of their own run", async () => {
        const order: string[] = [];
        const job = (run: Run, name: string, until?: Promise<void>) =>
            atMost(1, run, "masters", async () => {
                await until;
                order.push(name);
            });
        let release = () => {};
        const held = new Promise<void>(resolve => {
            release = resolve;
        });
        const jobs = [job(one, "one, first", held), job(one, "one, second")];
        await job(other, "other");
        release();
        await Promise.all(jobs);
        assert.deepEqual(order, ["other", "one, first", "one, second"]);
    });

    it("side by side: each has clients of clouds of its own", () => {
        const before = { ...process.env };
        Object.assign(process.env, {
            OS_AUTH_URL: "http://127.0.0.1:1",
            OS_USERNAME: "u",
            OS_PASSWORD: "p",
            OS_PROJECT_NAME: "p",
        });
        try {
            assert.equal(cloudClient(one, {}), cloudClient(one, {}));
            assert.notEqual(cloudClient(one, {}), cloudClient(other, {}));
        } finally {
            process.env = before;
        }
    });

    it("side by side: a machine that one has left as it was is no warning of the other", async () => {
        const made = await prepare(one);
        await fleet.node("w1").powerOff();
        process.env.NFV_GIVE_UP = `${identity.clusterId}/w1`;
        try {
            await one.provider.delete("Host", made.id, made.outs as never);
        } finally {
            delete process.env.NFV_GIVE_UP;
        }
        for (const { provider } of [one, other]) await provider.delete("ClusterId", identity.clusterId, {});
        assert.match(one.said.at(-1)!, /this machine was left as found[\s\S]*w1/);
        assert.deepEqual(other.said, []);
    });

    it("side by side: what one program contains, the other may delete", async () => {
        const names = { clusterName: "core", clusterId: "core-1a2b3c4d", resourceUrn: "urn:leftovers" };
        const leftovers = { ...names, cloud: {}, policy: "delete" };
        const { failures = [] } = await one.provider.check("CloudLeftovers", {}, leftovers);
        assert.deepEqual(failures, []);
        // There is no such cloud: a deletion that is not left out says so.
        for (const { provider } of [one, other]) await provider.delete("CloudLeftovers", "id", leftovers);
        assert.deepEqual(one.said, []);
        assert.match(other.said.join(), /was not looked for/);
    });

    it("side by side: Ctrl-C in one stops only that one", async () => {
        one.session.cancel();
        assert.equal(await codeOf(prepare(one)), "CANCELLED");
        assert.equal(await codeOf(prepare(other)), "done");
    });
});

describe("a session", () => {
    it("makes each part at its first use, once, and closes those that can be closed", async () => {
        const made: string[] = [];
        class Open {
            constructor() {
                made.push("open");
            }
            close() {
                made.push("closed");
            }
        }
        class Plain {}
        const session = new RunSession();
        assert.deepEqual(made, []);
        assert.equal(session.part(Open), session.part(Open));
        assert.notEqual(session.part(Plain), session.part(Open) as object);
        await session.close();
        assert.deepEqual(made, ["open", "closed"]);
        assert.ok(session.part(Open));
    });
});

/** What may stay in a variable of a file: what depends on its keys alone, or belongs to the object that is its key. */
const memories: Record<string, string> = {
    "provider/ssh/credentials.ts parsed": "the parsed form of a key's text",
    "provider/shell/script.ts made": "the text of a script",
    "provider/shell/script-file.ts read": "a shell file of our own package",
    "provider/shell/script-file.ts composed": "its text with the files that it uses",
    "provider/shell/script-file.ts folder": "where our package lies",
    "provider/adapters/provider-text.ts folder": "a line of the text for the state, no variable of this file",
    "provider/common/to-yaml.ts written": "the text of a value",
    "components/cnf/api-types.ts read": "a file of the installed @pulumi/kubernetes",
    "components/cnf/cnf.ts unfinished": "a component belongs to one program",
    "provider/adapters/later.ts facts": "an output belongs to one program",
    "provider/adapters/later.ts outputs": "a value that holds outputs belongs to one program",
    "provider/steps/fingerprint.ts known": "the fingerprint of a step with its key",
    "provider/steps/fingerprint.ts numbers": "numbers for long texts in the keys of `known`",
    "provider/steps/holder.ts thisProcess": "which process it is",
    "provider/adapters/hooks.ts sessions": "the sessions themselves",
    "components/common/plugin-package.ts found": "a package that was loaded",
    "components/vim/vim.ts privates": "a Vim belongs to one program",
    "components/cluster-api/kept-clusters.ts saidOf": "a Vim belongs to one program",
    "components/infrastructure/replacing.ts nodesIn": "the parsed form of a state that was read",
    "provider/operation/hooks/before-operation.ts beforeIn": "the parsed form of inputs",
    "provider/machine/rotated-connections.ts serversOf": "the parsed form of inputs",
    "components/cluster-api/management-cluster.ts vims": "a ManagementCluster belongs to one program",
    "components/infrastructure/openstack/hot/flat-template.ts read": "the parsed form of a template's text",
    "components/infrastructure/openstack/hot/places.ts places": "the place of a value in its file",
    "components/infrastructure/openstack/hot/rewrite.ts depth": "0 between calls",
    "components/validation/structure.ts published": "our own schema, and what is compiled from it",
};

describe("state of the process", () => {
    it("is in no file of the package: two runs would share it", () => {
        const files = ["provider", "components"].flatMap(folder =>
            readdirSync(folder, { recursive: true, encoding: "utf8" }).map(file => join(folder, file)),
        );
        const variable =
            /^(?:export )?(?:let (\w+)|const (\w+)(?:: [^=]+)? = (?:new (?:WeakMap|Map|Set)\b[^;(]*\(\)|onceFor\())/gm;
        const found = files
            .filter(file => file.endsWith(".ts"))
            .flatMap(file =>
                [...readFileSync(file, "utf8").matchAll(variable)].map(([, one, other]) => `${file} ${one ?? other}`),
            );
        assert.deepEqual(found.sort(), Object.keys(memories).sort());
    });
});
