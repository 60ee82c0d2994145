import assert from "node:assert/strict";
import { host } from "../../../../provider/host/host";
import { connectTo, recordHostKey } from "../../../../provider/machine/machine";
import type { SshTarget } from "../../../../provider/ssh";
import { FakeFleet } from "../../../../testing";
import type { Identity } from "../identity/made-identity";
import { endRun, listener, machine, testIdentity } from "../support/cluster";

const errorOf = (work: Promise<unknown>) =>
    work.then(
        () => assert.fail("it should have failed"),
        error => error as { code: string; message: string; properties?: { hostKey?: string } },
    );

describe("machines behind jump hosts", () => {
    let identity: Identity;
    let fleet: FakeFleet;
    /** Machines behind the jump hosts. */
    let inside: Record<string, Record<string, number>>;
    const open = ({ hostKey: _, ...target }: SshTarget): SshTarget => target;
    const behind = (bastion: string, name: string): SshTarget => {
        inside[bastion]!["10.0.0.5:22"] = fleet.node(name).server.port;
        const jump = open(fleet.target(bastion));
        return { ...open(fleet.target(name)), host: "10.0.0.5", port: 22, jump };
    };
    const inputs = (name: string, connection: SshTarget) => machine(identity, name, "worker", connection, {}).host;

    before(async () => {
        identity = await testIdentity();
    });
    beforeEach(async () => {
        inside = { b1: {}, b2: {} };
        const overrides = { b1: { forwarding: inside.b1 }, b2: { forwarding: inside.b2 } };
        fleet = await FakeFleet.start({ nodes: ["b1", "b2", "w1", "w2"], overrides });
    });
    afterEach(async () => {
        await endRun();
        await fleet.stop();
    });

    it("are told apart where their private addresses are the same", async () => {
        const [first, second] = [inputs("w1", behind("b1", "w1")), inputs("w2", behind("b2", "w2"))];
        const made = await host.create(first, listener());
        const other = await host.create(second, listener());
        assert.equal(made.outs.hostKey, fleet.node("w1").hostKey);
        assert.equal(other.outs.hostKey, fleet.node("w2").hostKey);
    });

    it("are reached through the jump host that was seen first only, also by the next run; it gets no password", async () => {
        const before = inputs("w1", behind("b1", "w1"));
        const made = await host.create(before, listener());
        assert.deepEqual(Object.values(made.outs.jumpHostKeys ?? {}), [fleet.node("b1").hostKey]);
        await endRun();
        fleet.node("b1").changeHostKey();
        const connects = () => fleet.events.filter(({ node, event }) => node === "b1" && event === "connect").length;
        const logins = connects();
        const error = await errorOf(host.update(made.id, made.outs, inputs("w1", behind("b1", "w1")), listener()));
        assert.equal(error.code, "HOST_KEY_CHANGED");
        assert.match(error.message, /jump host .* shows[\s\S]*ssh\.jump\.hostKey/);
        assert.equal(connects(), logins, "the login was not even tried");
        const { hostKey } = fleet.node("b1");
        const told = { ...before, connection: { ...before.connection, jump: { ...before.connection.jump!, hostKey } } };
        assert.equal(host.diff(made.id, made.outs, told).changes, true);
        const { outs } = await host.update(made.id, made.outs, told, listener());
        assert.deepEqual(Object.values(outs.jumpHostKeys ?? {}), [hostKey]);
    });

    it("hold their key in the state when they do not answer once", async () => {
        const connection = open(fleet.target("w1"));
        const made = await host.create(inputs("w1", connection), listener());
        await endRun();
        await fleet.node("w1").powerOff();
        const changed = inputs("w1", { ...connection, connectTimeoutSeconds: 3 });
        changed.spec = { ...changed.spec, sysctls: { "vm.swappiness": "1" } };
        const error = await errorOf(host.update(made.id, made.outs, changed, listener()));
        assert.equal(error.code, "CONNECT_FAILED");
        // If the error has no properties, the engine keeps the old state.
        assert.equal((error.properties ?? made.outs).hostKey, fleet.node("w1").hostKey);
    });

    it("pin the key that is given even if the machine was never reached", () => {
        const given = { ...open(fleet.target("w2")), hostKey: fleet.node("w2").hostKey };
        assert.deepEqual(recordHostKey(connectTo(listener(), given)), { hostKey: given.hostKey });
    });
});
