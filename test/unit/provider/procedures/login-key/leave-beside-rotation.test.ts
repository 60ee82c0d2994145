import assert from "node:assert/strict";
import { serve } from "../../../../../provider/adapters/serve";
import { host } from "../../../../../provider/host/host";
import { node } from "../../../../../provider/member/node";
import type { SshTarget } from "../../../../../provider/ssh";
import { FakeFleet, newKeyPair } from "../../../../../testing";
import type { Identity } from "../../identity/made-identity";
import { checkAs, checkedMasters, endRun, listener, machine, testIdentity } from "../../support/cluster";

const silent = { report: () => {}, warn: () => {}, note: () => {} } as unknown as Parameters<typeof serve>[1];
const addresses: Record<string, string> = { m1: "10.0.0.1", w1: "10.0.0.2" };
const names = ["jump", "storage", ...Object.keys(addresses)];

/*
 * Pulumi's engine deletes at the end of a run, when the servers that stay let in the new login key already. The state of what leaves has the former one, and no
 * later run writes another one into it.
 */
describe("a node that leaves in a run that exchanges the login key of servers", () => {
    const login = newKeyPair();
    let identity: Identity;
    let fleet: FakeFleet;

    /** How a program gives it. */
    const connection = (name: string, privateKey = fleet.privateKey): SshTarget => ({
        ...fleet.target(name),
        ...{ privateKey, connectTimeoutSeconds: 3 },
        ...(addresses[name] !== undefined && {
            ...{ host: addresses[name], port: 22 },
            jump: connection("jump", privateKey),
        }),
    });
    const make = async (name: string) => {
        const role = name === "m1" ? "controlPlane" : "worker";
        const given = machine(identity, name, role, connection(name), { m1: connection("m1") });
        await host.create(given.host, listener());
        return node.create(given.node, listener());
    };
    /** The program of this run does not have w1, and logs in to the others with this key. */
    const leaves = async (privateKey: string) => {
        const { id, outs } = await make("w1");
        await endRun();
        const { session } = listener();
        const { clusterId } = identity;
        const given = (name: string) => ({ name, connection: connection(name, privateKey) });
        checkedMasters({ session }, clusterId, [], [given("m1")]);
        const targets = JSON.stringify(["m1", "jump"].map(given));
        checkAs("LoginRotation", {}, { clusterId, word: "a", use: 0, targets } as object, { session });
        return () => serve(session, silent).delete("Node", id, outs as never);
    };

    before(async () => {
        identity = await testIdentity();
    });
    beforeEach(async () => {
        const forwarding: Record<string, number> = {};
        const behaviour = { authorizedKeys: [login.public] };
        fleet = await FakeFleet.start({
            nodes: names,
            overrides: { jump: { ...behaviour, forwarding }, m1: behaviour, storage: behaviour },
        });
        for (const [name, address] of Object.entries(addresses))
            forwarding[`${address}:22`] = fleet.node(name).server.port;
        await make("m1");
    });
    afterEach(async () => {
        await endRun();
        await fleet.stop();
    });

    it("leaves through the jump server, which lets in the new login key alone by then", async () => {
        const leave = await leaves(login.private);
        fleet.node("jump").server["clientKeys"].shift();
        await leave();
        assert.ok(fleet.node("w1").agent.acts.some(({ id }) => id === "node.reset"));
    });

    it("loses its access to the storage server, which lets in the new login key alone by then", async () => {
        const { session } = listener();
        const targets = JSON.stringify([{ name: "storage", connection: connection("storage", login.private) }]);
        const given = { clusterId: identity.clusterId, word: "a", use: 0, targets };
        checkAs("LoginRotation", {}, given as object, { session });
        fleet.node("storage").server["clientKeys"].shift();
        const state = {
            owner: identity.clusterId,
            server: "storage",
            connection: connection("storage"),
            client: "w1",
            entry: "w1_1",
        };
        await serve(session, silent).delete("StorageClient", "id", state);
        assert.ok(fleet.events.some(({ event, node }) => event === "connect" && node === "storage"));
    });
});
