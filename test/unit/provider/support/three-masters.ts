import assert from "node:assert/strict";
import type { NfvError } from "../../../../provider/common/errors";
import { host } from "../../../../provider/host/host";
import type { MastersInputs } from "../../../../provider/machine/program-masters";
import { node } from "../../../../provider/member/node";
import { checkAs, listener, machine } from "./cluster";
import { threeMachines } from "./three-machines";

/** Their names. */
export const all = ["m1", "m2", "m3"];

/** Three machines for masters, each at an address of its own, and what an engine does with them. Called in a `describe`. */
export function threeMasters() {
    const port = 20022 + (process.pid % 10_000);
    const overrides = Object.fromEntries(all.map((name, i) => [name, { listen: { host: `127.0.0.${i + 2}`, port } }]));
    const { fleet, identity } = threeMachines({ nodes: all, overrides });
    const target = (name: string) => ({ ...fleet().target(name), connectTimeoutSeconds: 4 });
    const of = (name: string, peers: string[], owner = identity()) =>
        machine(owner, name, "controlPlane", target(name), Object.fromEntries(peers.map(m => [m, target(m)])));
    const make = async (name: string, peers = all) => {
        const both = of(name, peers);
        return { host: await host.create(both.host, listener()), node: await node.create(both.node, listener()) };
    };
    const failureOf = (work: Promise<unknown>) =>
        work.then(
            () => assert.fail("it should have failed"),
            error => error as NfvError,
        );
    /** As the engine calls it: the masters of this program, and of the one before. */
    const programHas = (names: string[], before: string[] = all, run = listener()) => {
        const inputs = (wanted: string[]) => ({
            clusterId: identity().clusterId,
            peers: JSON.stringify(wanted.map(name => ({ name, connection: target(name) }))),
        });
        return checkAs<MastersInputs>("Masters", inputs(before), inputs(names), run).inputs;
    };
    const wipe = (name: string) => {
        const { agent } = fleet().node(name);
        for (const key of Object.keys(agent.journal)) delete agent.journal[key];
        agent.belongsTo = undefined;
    };
    const acts = (name: string) =>
        fleet()
            .node(name)
            .agent.acts.filter(({ id }) => /^node\.(drain|leave|leave-etcd|delete-object|reset)$/.test(id))
            .map(({ id, forNode }) => (forNode ? `${id} for ${forNode}` : id));
    return { fleet, identity, target, of, make, failureOf, programHas, wipe, acts };
}
