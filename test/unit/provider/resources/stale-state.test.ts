import assert from "node:assert/strict";
import { node } from "../../../../provider/resources/node";
import { listener } from "./cluster";
import { all, threeMasters } from "./three-masters";

/** A state restored from a copy that is older than the cluster. */
describe("a state that has a master at its former address", function () {
    this.timeout(60_000);
    const { fleet, make, programHas, acts } = threeMasters();

    const etcdHas = (addressOfM2: string) => {
        const members = all.map((name, i) => ({
            ...{ ID: i + 1, name, clientURLs: [`https://${name}:2379`] },
            peerURLs: [`https://${name === "m2" ? addressOfM2 : `10.99.0.1${i}`}:2380`],
        }));
        const health = members.map(({ clientURLs: [endpoint] }) => ({ endpoint, health: true }));
        const stdout = `${JSON.stringify({ members })}\n${JSON.stringify(health)}\n`;
        for (const name of all) {
            fleet()
                .node(name)
                .onScript(({ stdin }) => (stdin.includes("member list") ? { stdout } : {}));
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
            /m2: another machine is a member of etcd under this name \(https:\/\/10\.99\.0\.12:2380\).*nothing was taken out/,
        );
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
