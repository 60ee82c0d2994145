import assert from "node:assert/strict";
import { host } from "../../../../provider/host/host";
import { node } from "../../../../provider/member/node";
import { endRun, listener, machine } from "../support/cluster";
import { all, threeMasters } from "../support/three-masters";

/** A state restored from a copy that is older than the cluster. */
describe("a state that has a master at its former address", () => {
    const { fleet, make, failureOf, programHas, acts } = threeMasters();

    const at99 = <Outs extends { spec: object }>(outs: Outs): Outs => ({
        ...outs,
        spec: { ...outs.spec, address: "10.99.0.99" },
    });
    /** `own`: addresses of the machine m2 itself. */
    const etcdHas = (addressOfM2: string, own = "10.99.0.99\n") => {
        const members = all.map((name, i) => ({
            ...{ ID: i + 1, name, clientURLs: [`https://${name}:2379`] },
            peerURLs: [`https://${name === "m2" ? addressOfM2 : `10.99.0.1${i}`}:2380`],
        }));
        const health = members.map(({ clientURLs: [endpoint] }) => ({ endpoint, health: true }));
        const stdout = `${JSON.stringify({ members })}\n${JSON.stringify(health)}\n`;
        for (const name of all) {
            fleet()
                .node(name)
                .onScript(({ stdin }) =>
                    stdin.includes("member list") ? { stdout } : stdin.includes("ip -o addr") ? { stdout: own } : {},
                );
        }
    };
    /** Of the machine that was m2 before; it is gone. */
    const former = async () => {
        const made = await make("m2");
        const { spec, connection } = made.node.outs;
        const outs = {
            ...made.node.outs,
            spec: { ...spec, address: "10.99.0.99" },
            connection: { ...connection, host: "127.0.0.77" },
        };
        return { id: made.node.id, outs };
    };
    const actsOfMasters = () => ["m1", "m3"].flatMap(acts).filter(act => act.endsWith("m2"));

    it("costs nothing of the machine that has joined in its place", async () => {
        await make("m1");
        const { id, outs } = await former();
        await make("m3");
        etcdHas("10.99.0.12");
        programHas(all);
        const context = listener();
        await node.delete(id, outs, context);
        assert.deepEqual(actsOfMasters(), []);
        assert.match(
            context.warned.join("\n"),
            /m2: another machine is a member under this name \(10\.99\.0\.12\).*nothing was taken out/,
        );
    });

    it("costs nothing of it where the former machine answers, too: it had been given up, and is on again", async () => {
        await make("m1");
        const { host: madeHost, node: madeNode } = await make("m2");
        await make("m3");
        etcdHas("10.99.0.12");
        programHas(all);
        for (const work of [
            () => node.delete(madeNode.id, at99(madeNode.outs), listener()),
            () => host.delete(madeHost.id, at99(madeHost.outs), listener()),
        ]) {
            const { code, message } = await failureOf(work());
            assert.equal(code, "QUORUM_AT_RISK");
            assert.match(message, /has m2 at 10\.99\.0\.12, and the machine at 10\.99\.0\.99 answers as m2, too/);
        }
        assert.deepEqual([...actsOfMasters(), ...acts("m2")], []);
    });

    it("takes it out in order where it is the same machine: its SSH host stayed when its address changed", async () => {
        await make("m1");
        const { host: madeHost, node: madeNode } = await make("m2");
        await make("m3");
        etcdHas("10.99.0.12", "10.99.0.12\nfe80::1\n");
        programHas(all);
        await node.delete(madeNode.id, at99(madeNode.outs), listener());
        assert.deepEqual(actsOfMasters(), ["node.drain for m2", "node.leave-etcd for m2", "node.delete-object for m2"]);
        await host.delete(madeHost.id, at99(madeHost.outs), listener());
        assert.ok(acts("m2").includes("node.reset"));
    });

    it("takes it out where it is a member still", async () => {
        await make("m1");
        const { id, outs } = await former();
        await make("m3");
        etcdHas("10.99.0.99");
        programHas(all);
        await node.delete(id, outs, listener());
        assert.deepEqual(actsOfMasters(), ["node.drain for m2", "node.leave-etcd for m2", "node.delete-object for m2"]);
    });
});

describe("a state that has a worker at its former address", () => {
    const { fleet, identity, target, make, programHas, acts } = threeMasters();

    /** The acts of the masters when the worker at 10.99.0.99 is taken out. */
    const takenOut = async (addresses: string, kept: object = {}) => {
        for (const name of ["m1", "m2"]) await make(name, ["m1", "m2"]);
        const both = machine(identity(), "m3", "worker", target("m3"), { m1: target("m1"), m2: target("m2") });
        await host.create(both.host, listener());
        const { id, outs } = await node.create(both.node, listener());
        await endRun();
        programHas(["m1", "m2"], ["m1", "m2"]);
        for (const name of ["m1", "m2"]) {
            fleet()
                .node(name)
                .onScript(({ stdin }) => (stdin.includes("get node") ? { stdout: addresses } : {}));
        }
        const connection = { ...outs.connection, host: "127.0.0.77" };
        const spec = { ...outs.spec, address: "10.99.0.99", ...kept };
        await node.delete(id, { ...outs, spec, connection }, listener());
        return [...acts("m1"), ...acts("m2")];
    };

    it("costs nothing of the one that has joined in its place", async () => {
        assert.deepEqual(await takenOut("10.99.0.12\n"), []);
    });

    it("takes it out where kubelet has another address by a flag of the user's", async () => {
        const left = ["node.drain for m3", "node.delete-object for m3"];
        assert.deepEqual(await takenOut("10.99.0.12\n", { nodeIp: "10.99.0.12" }), left);
    });

    it("takes it out where the cluster knows it at that address, or not for certain", async () => {
        assert.deepEqual(await takenOut("10.99.0.99\nfd00::9\n"), ["node.drain for m3", "node.delete-object for m3"]);
    });
});
