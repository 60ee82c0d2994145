import type { SshTarget } from "../provider/ssh/types";
import { isAct } from "../provider/steps/protocol";
import { FakeNode } from "./fake-node";
import { newKeyPair } from "./keys";
import type { FakeBehaviour, FleetEvent } from "./types";

export interface FleetOptions extends FakeBehaviour {
    /** Names, or how many ("node-1" and so on). */
    nodes: number | string[];
    /** Behaviour of single nodes that differs, by name. */
    overrides?: Record<string, FakeBehaviour>;
    /** Called with each event as it happens. */
    onEvent?: (event: FleetEvent) => void;
}

/**
 * Machines for tests: real SSH servers with their own host keys on 127.0.0.1, in this process. They support the file transfer and
 * the step agent of this package, so resources work on them as on real machines; steps only take time.
 */
export class FakeFleet {
    /** All nodes by name, in the order given. */
    readonly nodes: ReadonlyMap<string, FakeNode>;
    /** What happened, in order. */
    readonly events: FleetEvent[] = [];

    private constructor(
        options: FleetOptions,
        /** OpenSSH private key that every node accepts. */
        readonly privateKey: string,
    ) {
        const { nodes, overrides, onEvent, ...common } = options;
        const names = typeof nodes === "number" ? Array.from({ length: nodes }, (_, i) => `node-${i + 1}`) : nodes;
        const log = (event: FleetEvent) => {
            this.events.push(event);
            onEvent?.(event);
        };
        const agents = () => [...this.nodes.values()].map(({ agent }) => agent);
        this.nodes = new Map(
            names.map(name => [name, new FakeNode(name, { ...common, ...overrides?.[name] }, privateKey, log, agents)]),
        );
    }

    static async start(options: FleetOptions): Promise<FakeFleet> {
        const fleet = new FakeFleet(options, newKeyPair().private);
        await Promise.all([...fleet.nodes.values()].map(node => node.powerOn()));
        return fleet;
    }

    node(name: string): FakeNode {
        const node = this.nodes.get(name);
        if (node === undefined) {
            throw new Error(`the fleet has no node "${name}"; it has ${[...this.nodes.keys()].join(", ")}`);
        }
        return node;
    }

    /** How to connect to a node: address, key, host key. */
    target(name: string): SshTarget {
        return this.node(name).target;
    }

    /** Started steps, without acts, as "node step", in order. */
    begun(): string[] {
        const steps = this.events.filter(each => each.event === "begin" && !isAct(each.fingerprint!));
        return steps.map(each => `${each.node} ${each.step}`);
    }

    /** Stops all servers; nothing is left in the process. */
    async stop(): Promise<void> {
        await Promise.all([...this.nodes.values()].map(node => node.powerOff()));
    }
}
