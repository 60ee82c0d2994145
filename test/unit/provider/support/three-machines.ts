import assert from "node:assert/strict";
import { host } from "../../../../provider/host/host";
import { node } from "../../../../provider/member/node";
import { FakeFleet, type FleetOptions } from "../../../../testing";
import type { Identity } from "../identity/made-identity";
import { endRun, listener, machine, testIdentity } from "./cluster";

/** What a failed resource reports to the engine. */
interface Partial {
    id?: string;
    properties?: { done: Record<string, string>; pending: string[]; hostKey?: string };
    reasons?: string[];
    message: string;
}

export const failureOf = (promise: Promise<unknown>) =>
    promise.then(
        () => assert.fail("it should have failed"),
        error => error as Partial,
    );

/** Two simulated control-plane nodes and a worker (or `nodes`), new for each test of the suite that calls this. */
export function threeMachines(options: Omit<FleetOptions, "nodes"> & { nodes?: string[] } = {}) {
    let fleet: FakeFleet;
    let identity: Identity;
    const target = (name: string) => ({ ...fleet.target(name), connectTimeoutSeconds: 4 });
    const masters = () => ({ m1: target("m1"), m2: target("m2") });
    const of = (name: string, changes = {}) =>
        machine(identity, name, name.startsWith("m") ? "controlPlane" : "worker", target(name), masters(), changes);
    const make = async (name: string) => {
        const { host: hostInputs, node: nodeInputs } = of(name);
        const madeHost = await host.create(hostInputs, listener());
        const madeNode = await node.create(nodeInputs, listener());
        return { host: madeHost, node: madeNode };
    };

    before(async () => {
        identity = await testIdentity();
    });
    beforeEach(async () => {
        fleet = await FakeFleet.start({ nodes: ["m1", "m2", "w1"], ...options });
    });
    afterEach(async () => {
        await endRun();
        await fleet.stop();
    });
    return { fleet: () => fleet, identity: () => identity, of, make };
}
