import assert from "node:assert/strict";
import { type ErrorCode, NfvError } from "../../../../provider/common/errors";
import { unknownValue } from "../../../../provider/contract/values";
import { host } from "../../../../provider/host/host";
import { waitForServer } from "../../../../provider/machine/first-contact";
import { node } from "../../../../provider/member/node";
import type { Connection } from "../../../../provider/ssh";
import type { Clock } from "../../../../provider/steps/clock";
import { FakeFleet } from "../../../../testing";
import type { Identity } from "../identity/made-identity";
import type { FakeCloud } from "../openstack/fake-cloud";
import { cloudOfEnvironment, serverIs, serverIsGone } from "../support/cloud";
import { checkedMasters, endRun, listener, machine, testIdentity } from "../support/cluster";

const failureOf = (promise: Promise<unknown>) =>
    promise.then(
        () => assert.fail("it should have failed"),
        error => error as NfvError & { id?: string },
    );

/** A clock that jumps to the end of the next sleep. */
class FastClock implements Clock {
    private time = 0;
    private readonly sleepers: { until: number; wake: () => void }[] = [];

    now(): number {
        return this.time;
    }

    sleep(seconds: number, signal?: AbortSignal): Promise<void> {
        // Like the real clock: a sleep after an abort fails at once, otherwise the waiting code would loop forever.
        if (signal?.aborted) return Promise.reject(signal.reason);
        return new Promise((resolve, reject) => {
            this.sleepers.push({ until: this.time + seconds, wake: resolve });
            signal?.addEventListener("abort", () => reject(signal.reason));
            setTimeout(() => this.wakeFirst(), 1);
        });
    }

    private wakeFirst(): void {
        this.sleepers.sort((a, b) => a.until - b.until);
        const first = this.sleepers.shift();
        if (first === undefined) return;
        this.time = Math.max(this.time, first.until);
        first.wake();
    }
}

/** A machine that gives these answers, one for each attempt; the last one repeats. */
function answering(...answers: (ErrorCode | "in")[]): Connection {
    return {
        exec: async () => {
            const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
            if (answer !== "in") throw new NfvError({ code: answer, cause: `it said ${answer}` });
            return { code: 0, stdout: "", stderr: "" };
        },
    } as unknown as Connection;
}

describe("the first contact with a new server", () => {
    const contact = (connection: Connection, context = listener()) =>
        waitForServer({ node: "w1", connection, context, clock: new FastClock(), server: { cloud: {} } });

    it("waits while it boots, and tells how long", async () => {
        const context = listener();
        await contact(answering(...Array.from({ length: 40 }, () => "CONNECT_FAILED" as const), "in"), context);
        assert.match(context.said.join("\n"), /waiting for SSH, 35 s/);
    });

    it("bears refusals as long as cloud-init may still set login, host key and sudo", async () => {
        await contact(answering("CONNECT_FAILED", "HOST_KEY_CHANGED", "AUTHENTICATION_FAILED", "SUDO_REFUSED", "in"));
    });

    for (const code of ["AUTHENTICATION_FAILED", "HOST_KEY_CHANGED", "SUDO_REFUSED"] as const) {
        it(`takes ${code} as the answer after a while, long before a boot's time is over`, async () => {
            const failure = await failureOf(contact(answering(code)));
            assert.match(failure.message, new RegExp(`^w1: ${code}`));
        });
    }

    it("ends in bounded time with what was seen last", async () => {
        const failure = await failureOf(contact(answering("CONNECT_FAILED")));
        assert.equal(failure.code, "SERVER_FAILED");
        assert.match(failure.message, /^w1: [\s\S]*not reachable by SSH: it said CONNECT_FAILED, waited for 600 s/);
    });

    it("stops with the run", async () => {
        const stop = new AbortController();
        const context = { ...listener(), signal: stop.signal };
        const waiting = contact(answering("CONNECT_FAILED"), context as never);
        stop.abort();
        assert.equal((await failureOf(waiting)).code, "CANCELLED");
    });

    it("does not wait for a machine that is no server of a cloud", async () => {
        const connection = { exec: () => assert.fail("nobody should ask") } as unknown as Connection;
        await waitForServer({ node: "w1", connection, context: listener() });
    });
});

describe("machines that are servers of a cloud", () => {
    let identity: Identity;
    let fleet: FakeFleet;
    let cloud: FakeCloud;
    let leave: () => Promise<void>;

    const target = (name: string) => ({ ...fleet.target(name), connectTimeoutSeconds: 3 });
    const of = (name: string, serverId = `id-${name}`) => {
        const masters = { m1: target("m1"), m2: target("m2") };
        const both = machine(identity, name, name.startsWith("m") ? "controlPlane" : "worker", target(name), masters);
        const server = { cloud: {}, bootTimeoutSeconds: 15 };
        return { host: { ...both.host, serverId, server }, node: { ...both.node, serverId, server } };
    };
    const makeHost = (name: string) => {
        serverIs(cloud, `id-${name}`, "ACTIVE");
        return host.create(of(name).host, listener());
    };
    const make = async (name: string) => {
        const inputs = of(name);
        serverIs(cloud, `id-${name}`, "ACTIVE");
        return {
            host: await host.create(inputs.host, listener()),
            node: await node.create(inputs.node, listener()),
        };
    };

    before(async () => {
        identity = await testIdentity();
    });
    beforeEach(async () => {
        fleet = await FakeFleet.start({ nodes: ["m1", "m2", "w1"] });
        ({ cloud, leave } = await cloudOfEnvironment());
    });
    afterEach(async () => {
        await endRun();
        await fleet.stop();
        await leave();
    });

    it("are waited for when they are made", async () => {
        const { host: inputs } = of("w1");
        serverIs(cloud, "id-w1", "BUILD");
        await fleet.node("w1").powerOff();
        const context = listener();
        const making = host.create(inputs, context);
        await new Promise(resolve => setTimeout(resolve, 1500));
        // The port may change after this; the returned target must still be right.
        const { port } = fleet.target("w1");
        await fleet.node("w1").powerOn();
        if (fleet.target("w1").port !== port) assert.fail("the fake machine came back at another place");
        const { outs } = await making;
        assert.equal(outs.serverId, "id-w1");
        assert.match(context.said[0], /^waiting for SSH, 0 s$/);
    });

    it("fail at once, with the cloud's reason, when the server is in ERROR", async () => {
        await fleet.node("w1").powerOff();
        serverIs(cloud, "id-w1", "ERROR", { fault: { message: "No valid host was found", code: 500 } });
        const failure = await failureOf(host.create(of("w1").host, listener()));
        assert.equal(failure.code, "SERVER_FAILED");
        assert.match(failure.message, /^w1: SERVER_FAILED[\s\S]*No valid host was found/);
        assert.equal(failure.id, undefined, "nothing was touched: nothing is kept");
    });

    it("fail with the console's end when they never answer", async () => {
        const inputs = of("w1").host;
        await fleet.node("w1").powerOff();
        serverIs(cloud, "id-w1", "ACTIVE", {}, "[ 2.0] Kernel panic - not syncing\n");
        const hurry = { ...inputs, server: { cloud: {}, bootTimeoutSeconds: 2 } };
        const failure = await failureOf(host.create(hurry, listener()));
        assert.match(failure.message, /SERVER_FAILED[\s\S]*ACTIVE[\s\S]*not reachable by SSH[\s\S]*Kernel panic/);
    });

    it("are other machines with another server, and the same when nothing is said of it", async () => {
        const made = await makeHost("w1");
        const diff = (serverId: string | undefined) => host.diff(made.id, made.outs, { ...of("w1").host, serverId });
        for (const other of ["id-new", unknownValue]) {
            assert.deepEqual([diff(other).replaces, diff(other).deleteBeforeReplace], [["serverId"], true]);
        }
        for (const same of ["id-w1", undefined]) assert.equal(diff(same).changes, false);
        const { serverId: _, ...before } = made.outs;
        assert.equal(host.diff(made.id, before, of("w1").host).changes, false, "an id that comes later");
    });

    it("do not change when only the way to ask the cloud does", async () => {
        const { host: madeHost, node: madeNode } = await make("m1");
        const server = { cloud: { region: "other" }, bootTimeoutSeconds: 7 };
        assert.equal(host.diff(madeHost.id, madeHost.outs, { ...of("m1").host, server }).changes, false);
        assert.equal(node.diff(madeNode.id, madeNode.outs, { ...of("m1").node, server }).changes, false);
    });

    describe("found by a refresh", () => {
        it("are gone when they do not answer and the cloud has no such server", async () => {
            const { host: madeHost, node: madeNode } = await make("m1");
            await fleet.node("m1").powerOff();
            serverIsGone(cloud, "id-m1");
            assert.deepEqual(await host.read(madeHost.id, madeHost.outs, listener()), {});
            assert.deepEqual(await node.read(madeNode.id, madeNode.outs, listener()), {});
        });

        it("are told to be lost, and those that are off with the command that starts them", async () => {
            const { host: made } = await make("m1");
            await fleet.node("m1").powerOff();
            const context = listener();
            serverIs(cloud, "id-m1", "SHUTOFF");
            assert.equal((await host.read(made.id, made.outs, context)).id, made.id);
            serverIsGone(cloud, "id-m1");
            await host.read(made.id, made.outs, context);
            const [off, gone] = context.warned;
            assert.match(
                off!,
                /^m1: kept as it was: its server is SHUTOFF in the cloud; pulumi up changes nothing: openstack server start id-m1 \(/,
            );
            assert.equal(gone, "m1: its server does not exist any more; pulumi up replaces it as a lost server");
        });

        it("are kept when they answer, whatever the cloud says: it may be the wrong project", async () => {
            const { host: made } = await make("m1");
            serverIsGone(cloud, "id-m1");
            assert.equal((await host.read(made.id, made.outs, listener())).id, made.id);
        });

        it("are kept when they are silent and another project says that they are gone", async () => {
            const { host: made } = await make("m1");
            await fleet.node("m1").powerOff();
            serverIsGone(cloud, "id-m1");
            const seen = (project: string) =>
                host.read(made.id, { ...made.outs, server: { cloud: {}, project } }, listener());
            assert.equal((await seen("p2")).id, made.id);
            assert.deepEqual(await seen("p1"), {});
        });

        it("are kept when neither they nor the cloud answer, or the server only is off", async () => {
            const { host: made } = await make("m1");
            await fleet.node("m1").powerOff();
            serverIs(cloud, "id-m1", "SHUTOFF");
            assert.equal((await host.read(made.id, made.outs, listener())).id, made.id);
            cloud.routes["GET /compute/servers/id-m1"] = () => ({ status: 403 });
            assert.equal((await host.read(made.id, made.outs, listener())).id, made.id);
        });
    });

    describe("that the cloud does not have, and that refuse our login", () => {
        const wrongLogin = <State extends { connection: object }>(outs: State): State => ({
            ...outs,
            connection: { ...outs.connection, privateKey: undefined, password: "wrong" },
        });

        it("are kept by a refresh: something lives there", async () => {
            const { host: madeHost, node: madeNode } = await make("m1");
            serverIsGone(cloud, "id-m1");
            await endRun();
            const seenHost = await host.read(madeHost.id, wrongLogin(madeHost.outs), listener());
            const seenNode = await node.read(madeNode.id, wrongLogin(madeNode.outs), listener());
            assert.deepEqual([seenHost.id, seenNode.id], [madeHost.id, madeNode.id]);
        });

        it("are not passed over when they are taken out", async () => {
            await make("m1");
            const { host: madeHost, node: madeNode } = await make("w1");
            serverIsGone(cloud, "id-w1");
            await endRun();
            const refused = { code: "AUTHENTICATION_FAILED", message: /NFV_GIVE_UP=/ };
            checkedMasters(listener(), madeNode.outs.spec.clusterId, [], []);
            await assert.rejects(host.delete(madeHost.id, wrongLogin(madeHost.outs), listener()), refused);
            await assert.rejects(node.delete(madeNode.id, wrongLogin(madeNode.outs), listener()), refused);
        });

        it("are gone where the address shows another host key: it is another machine's by now", async () => {
            const { host: made } = await make("m1");
            serverIsGone(cloud, "id-m1");
            await endRun();
            const otherKey = fleet.node("m2").hostKey;
            const other = {
                ...made.outs,
                hostKey: otherKey,
                connection: { ...made.outs.connection, hostKey: otherKey },
            };
            assert.deepEqual(await host.read(made.id, other, listener()), {});
            await host.delete(made.id, other, listener());
        });
    });

    describe("removed when the server is gone", () => {
        it("is no host any more when it is silent, too", async () => {
            const made = await makeHost("w1");
            serverIsGone(cloud, "id-w1");
            await fleet.node("w1").powerOff();
            const context = listener();
            await host.delete(made.id, made.outs, context);
            assert.deepEqual(context.warned, []);
        });

        it("is undone as any other when the machine answers: the cloud that was asked may be another project", async () => {
            await make("m1");
            const { host: madeHost, node: madeNode } = await make("w1");
            serverIsGone(cloud, "id-w1");
            const context = listener();
            await node.delete(madeNode.id, madeNode.outs, context);
            assert.match(context.warned.join(), /w1: the cloud has no such server, but the machine answers/);
            assert.ok(
                fleet.node("w1").commands.some(call => call.stdin.includes("kubeadm reset")),
                "not left properly",
            );
            await host.delete(madeHost.id, madeHost.outs, context);
            assert.equal((await host.read(madeHost.id, madeHost.outs, listener())).id, undefined);
        });

        it("leaves the cluster at once, also while another master is off", async () => {
            await make("m1");
            const { node: made } = await make("w1");
            await fleet.node("w1").powerOff();
            await fleet.node("m2").powerOff();
            serverIsGone(cloud, "id-w1");
            const began = Date.now();
            const slow = (connection: typeof made.outs.connection) => ({ ...connection, connectTimeoutSeconds: 12 });
            await node.delete(
                made.id,
                {
                    ...made.outs,
                    connection: slow(made.outs.connection),
                    controlPlane: made.outs.controlPlane.map(peer => ({ ...peer, connection: slow(peer.connection) })),
                },
                listener(),
            );
            assert.ok(Date.now() - began < 8_000, `it took ${Date.now() - began} ms`);
            assert.ok(fleet.node("m1").commands.some(call => call.stdin.includes("kubectl delete node")));
        });
    });
});
