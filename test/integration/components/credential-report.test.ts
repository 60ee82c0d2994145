import { strict as assert } from "node:assert";
import { setTimeout as sleep } from "node:timers/promises";
import { createAuthority } from "../../../provider/identity/certificates";
import { killTree } from "../../support/kill-tree";
import { Receiver } from "../../support/receiver";
import { skipIf } from "../../support/skip";
import { asStory } from "../../support/story";
import { notBuilt, UserProject } from "../../support/user-project";

/** Real engine, real TLS: the receiver is a web server of the test. */
describe("the credentials of a workload cluster that are sent to a URL", function () {
    this.timeout("10m");
    asStory(this);
    let receiver: Receiver;
    let project: UserProject;

    before(async function () {
        skipIf(this, notBuilt());
        receiver = await Receiver.start();
        project = await UserProject.make("report", "test/integration/components/credential-report-program.js");
    });
    after(async () => {
        project?.remove();
        await receiver?.close();
    });

    const give = (token: string, changes: object = {}) =>
        project.give({
            report: {
                clusterId: "core-1",
                cluster: { name: "w1", namespace: "default", uid: "uid-1" },
                ...{ url: receiver.url, caCertificate: receiver.authority, removal: true, timeoutSeconds: 2 },
                token: "canary-of-the-receiver",
                credentials: { kubeconfig: JSON.stringify({ users: [{ user: { token } }] }) },
                ...changes,
            },
        });
    const run = async (...args: string[]) => {
        const outcome = await project.pulumi.start([...args, "--non-interactive"]).done;
        assert.doesNotMatch(outcome.output, /canary/);
        return outcome;
    };
    const up = () => run("up", "--yes", "--skip-preview");
    const fails = async () => {
        const { code, output } = await up();
        assert.notEqual(code, 0, output);
        return output;
    };
    const count = () => receiver.received.length;
    const last = () => receiver.received.at(-1)!;
    const tokenOf = ({ body }: { body: { kubeconfig: string } }) => JSON.parse(body.kubeconfig).users[0].user.token;

    it("are announced at preview, and not sent", async () => {
        give("canary-1");
        const { code, output } = await run("preview");
        assert.equal(code, 0, output);
        assert.match(
            output,
            /the credentials of workload cluster "w1" will be sent to https:\/\/127\.0\.0\.1:\d+\/credentials/,
        );
        assert.equal(count(), 0);
    });

    it("are not written to a server that another authority vouches for", async () => {
        give("canary-1", { caCertificate: (await createAuthority("other", 1)).certificate });
        assert.match(await fails(), /RECEIVER_UNREACHABLE[\s\S]*Its certificate does not fit the given authority/);
        assert.deepEqual([receiver.bytes, count()], [0, 0]);
    });

    it("wait for the next `up` while the receiver is down", async () => {
        await receiver.close();
        give("canary-1");
        assert.match(await fails(), /RECEIVER_UNREACHABLE[\s\S]*ECONNREFUSED/);
        await receiver.open();
        await project.pulumi.up();
        assert.deepEqual(
            [count(), tokenOf(last()), last().headers.authorization],
            [1, "canary-1", "Bearer canary-of-the-receiver"],
        );
    });

    it("are sent once: the second `up` and a refresh send nothing", async () => {
        await project.pulumi.up({ expectNoChanges: true });
        await project.pulumi.up({ refresh: true, expectNoChanges: true });
        assert.equal(count(), 1);
    });

    it("are nowhere in the state in plain text, and the kubeconfig is not in it at all", async () => {
        const plain = await run("stack", "export");
        assert.match(plain.output, /"contentHash"/);
        const secrets = await project.pulumi.start(["stack", "export", "--show-secrets"]).done;
        assert.match(secrets.output, /canary-of-the-receiver/);
        assert.doesNotMatch(secrets.output, /canary-1/);
    });

    it("are sent once more after a change, over two errors of the receiver", async () => {
        give("canary-2");
        assert.match((await run("preview")).output, /will be sent to/);
        receiver.answers = [{ status: 500 }, { status: 500 }];
        give("canary-2", { timeoutSeconds: 20 });
        const { code, output } = await up();
        assert.equal(code, 0, output);
        assert.match(output, /answered 500; next attempt/);
        assert.equal(count(), 4);
        assert.deepEqual(receiver.received.map(tokenOf), ["canary-1", "canary-2", "canary-2", "canary-2"]);
        await project.pulumi.up({ expectNoChanges: true });
    });

    it("are refused with the receiver's words, and sent by the next `up`", async () => {
        give("canary-3");
        receiver.answers = [{ status: 403, text: "this token may not register w1" }];
        assert.match(await fails(), /RECEIVER_REFUSED[\s\S]*answered 403: this token may not register w1/);
        await project.pulumi.up();
        assert.equal(tokenOf(last()), "canary-3");
    });

    it("have the same key again where a run was killed between sending and noting", async () => {
        give("canary-4", { timeoutSeconds: 60 });
        const before = count();
        receiver.answers = ["silent"];
        const reached = new Promise<void>(resolve => {
            receiver.onSilence = resolve;
        });
        const killed = project.pulumi.start(["up", "--yes", "--skip-preview", "--non-interactive"]);
        assert.equal(await Promise.race([reached, killed.done]), undefined);
        // The engine writes its state meanwhile, and a half written one cannot be read.
        await sleep(500);
        killTree(killed.pid);
        await killed.done;
        await project.pulumi.stack.cancel();
        await project.pulumi.up();
        const sent = receiver.received.slice(before);
        assert.deepEqual(sent.map(tokenOf), ["canary-4", "canary-4"]);
        assert.equal(sent[0]!.headers["idempotency-key"], sent[1]!.headers["idempotency-key"]);
        const former = receiver.received.slice(0, before).map(({ headers }) => headers["idempotency-key"]);
        assert.ok(!former.includes(sent[0]!.headers["idempotency-key"]));
    });

    it("go to another URL, and the former one gets the end", async () => {
        const before = count();
        give("canary-4", { url: receiver.url.replace(/\/credentials$/, "/other") });
        await project.pulumi.up();
        assert.deepEqual(
            receiver.received.slice(before).map(({ path, body }) => [path, body.event]),
            [
                ["/other", "credentials"],
                ["/credentials", "removed"],
            ],
        );
    });

    it("are followed by the end at `pulumi destroy`, which waits for the receiver", async () => {
        await receiver.close();
        const { code, output } = await run("destroy", "--yes", "--skip-preview");
        assert.notEqual(code, 0);
        assert.match(output, /RECEIVER_UNREACHABLE[\s\S]*NFV_GIVE_UP=core-1\/report:w1/);
        await receiver.open();
        await project.pulumi.destroy();
        assert.deepEqual(last().body, {
            event: "removed",
            cluster: { name: "w1", namespace: "default", uid: "uid-1" },
        });
    });
});
