import assert from "node:assert/strict";
import { serve } from "../../../../../provider/adapters/serve";
import { heldKeys } from "../../../../../provider/cloud/held-keys";
import { host } from "../../../../../provider/host/host";
import { noteProgramMasters } from "../../../../../provider/machine/program-masters";
import { node } from "../../../../../provider/member/node";
import { hostKeyOf } from "../../../../../provider/openstack/host-key";
import { hostKeyRotation } from "../../../../../provider/procedures/logins/host-key-rotation";
import { loginRotation } from "../../../../../provider/procedures/logins/login-rotation";
import { anyOf, type SshTarget } from "../../../../../provider/ssh";
import { FakeFleet, newKeyPair } from "../../../../../testing";
import type { Identity } from "../../identity/made-identity";
import { endRun, listener, machine, testIdentity } from "../../support/cluster";

const [seed, newSeed] = [1, 2].map(byte => Buffer.alloc(32, byte).toString("base64")) as [string, string];
const silent = { report: () => {}, warn: () => {}, note: () => {} } as unknown as Parameters<typeof serve>[1];
const addresses: Record<string, string> = { m1: "10.0.0.1", w1: "10.0.0.2" };
const names = ["jump", "storage", ...Object.keys(addresses)];

/*
 * The engine deletes at the end of a run, when the servers that stay have other keys already. The state of what leaves has the former ones, and no later run
 * writes others into it.
 */
describe("a node that leaves in a run that exchanges the keys of servers", () => {
    const login = newKeyPair();
    let identity: Identity;
    let fleet: FakeFleet;

    /** How a program gives it. */
    const connection = (name: string, seeds: string, privateKey = fleet.privateKey): SshTarget => ({
        ...fleet.target(name),
        ...{ privateKey, hostKey: heldKeys(seeds, name), connectTimeoutSeconds: 3 },
        ...(addresses[name] !== undefined && {
            ...{ host: addresses[name], port: 22 },
            jump: connection("jump", seeds, privateKey),
        }),
    });
    const make = async (name: string) => {
        const role = name === "m1" ? "controlPlane" : "worker";
        const given = machine(identity, name, role, connection(name, seed), { m1: connection("m1", seed) });
        await host.create(given.host, listener());
        return node.create(given.node, listener());
    };
    /** The program of this run does not have w1, and gives the others so. */
    const leaves = async (type: "HostKeyRotation" | "LoginRotation", seeds: string, privateKey?: string) => {
        const { id, outs } = await make("w1");
        await endRun();
        const { session } = listener();
        const { clusterId } = identity;
        const given = (name: string) => ({ name, connection: connection(name, seeds, privateKey) });
        noteProgramMasters({ session }, clusterId, [], [given("m1")]);
        const targets = JSON.stringify(["m1", "jump"].map(given));
        const rotation = type === "HostKeyRotation" ? hostKeyRotation : loginRotation;
        rotation.check({}, { clusterId, word: "a", use: 0, targets } as never, { session });
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
            overrides: { jump: { ...behaviour, forwarding }, m1: behaviour },
        });
        for (const [name, address] of Object.entries(addresses))
            forwarding[`${address}:22`] = fleet.node(name).server.port;
        for (const name of names) fleet.node(name).showHostKey(hostKeyOf(seed, name).privateKey);
        await make("m1");
    });
    afterEach(async () => {
        await endRun();
        await fleet.stop();
    });

    it("leaves through the jump server, which shows its new host key by then", async () => {
        const leave = await leaves("HostKeyRotation", anyOf([seed, newSeed]));
        for (const name of ["jump", "m1"]) fleet.node(name).showHostKey(hostKeyOf(newSeed, name).privateKey);
        await leave();
        assert.ok(fleet.node("w1").agent.acts.some(({ id }) => id === "node.reset"));
    });

    it("leaves through the jump server, which lets in the new login key alone by then", async () => {
        const leave = await leaves("LoginRotation", seed, login.private);
        fleet.node("jump").server["clientKeys"].shift();
        await leave();
        assert.ok(fleet.node("w1").agent.acts.some(({ id }) => id === "node.reset"));
    });

    it("loses its access to the storage server, which shows its new host key by then", async () => {
        const { session } = listener();
        const at = (seeds: string) => connection("storage", seeds);
        const targets = JSON.stringify([{ name: "storage", connection: at(anyOf([seed, newSeed])), isNode: false }]);
        const given = { clusterId: identity.clusterId, word: "a", use: 0, targets };
        hostKeyRotation.check({}, given as never, { session });
        fleet.node("storage").showHostKey(hostKeyOf(newSeed, "storage").privateKey);
        const state = {
            owner: identity.clusterId,
            server: "storage",
            connection: at(seed),
            client: "w1",
            entry: "w1_1",
        };
        await serve(session, silent).delete("StorageClient", "id", state);
        assert.ok(fleet.events.some(({ event, node }) => event === "connect" && node === "storage"));
    });

    it("takes no key that the program does not give: neither another one of the jump server, nor one of its own", async () => {
        const third = hostKeyOf(Buffer.alloc(32, 3).toString("base64"), "jump").privateKey;
        const leave = await leaves("HostKeyRotation", anyOf([seed, newSeed]));
        fleet.node("jump").showHostKey(third);
        await assert.rejects(leave(), /jump host .* shows SHA256/);
        fleet.node("jump").showHostKey(hostKeyOf(newSeed, "jump").privateKey);
        fleet.node("w1").showHostKey(hostKeyOf(newSeed, "w1").privateKey);
        await assert.rejects(leave(), /HOST_KEY_CHANGED/);
    });
});
