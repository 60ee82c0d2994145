import { KubernetesCluster } from "../../../../components";
import { serve } from "../../../../provider/adapters/serve";
import { RunSession } from "../../../../provider/common/run-session";
import { Connections } from "../../../../provider/ssh";
import { FakeFleet } from "../../../../testing";
import { type RunResult, SmallEngine } from "./engine";
import { LocalConnections } from "./local-connections";
import { World } from "./world";

export interface Outcome extends RunResult {
    /** "scale out workers +1 (w2)"; undefined: no operation. */
    operation?: string;
    warned: string[];
}

/** Fake machines, the world behind them, and a small engine with its state. */
export class Site {
    readonly engine = new SmallEngine();
    private connections: LocalConnections | undefined;
    private killNow: () => void = () => {};

    /** Machines on which a killed run has begun that the state does not know: no later run can undo anything there. */
    readonly unknown = new Set<string>();

    private constructor(
        readonly fleet: FakeFleet,
        readonly world: World,
    ) {}

    /** Machines: name → address. */
    static async open(machines: Record<string, string>): Promise<Site> {
        const world = new World();
        const fleet = await FakeFleet.start({
            nodes: Object.keys(machines),
            onEvent: event => world.saw(event),
            controlPlane: (script, node) => world.prepareJoin(node, script),
            probes: { "cluster.join": node => (world.machines.get(node)?.member ? 0 : 1) },
            durations: (_node, step) => (slow.has(step) ? 0.002 : 0),
        });
        for (const [name, address] of Object.entries(machines)) world.add(name, address, fleet.node(name));
        return new Site(fleet, world);
    }

    up(args: object): Promise<Outcome> {
        return this.run((provider, killed) =>
            this.engine.up(provider, () => void new KubernetesCluster("core", structuredClone(args) as never), killed),
        );
    }

    destroy(): Promise<Outcome> {
        return this.run(provider => this.engine.destroy(provider));
    }

    /** Ends the run like `kill -9` of Pulumi and its plug-ins. */
    kill(): void {
        this.world.log.push("KILLED");
        this.connections?.kill();
        // Their leases end in half a minute, in which no test wants to wait.
        for (const { agent } of this.fleet.nodes.values()) {
            agent.lease = undefined;
            for (const other of agent["forOthers"].values()) other.lease = undefined;
        }
        this.killNow();
    }

    turnOff(name: string): void {
        const machine = this.world.machines.get(name)!;
        this.world.log.push(`${name} is off`);
        machine.isOn = false;
        machine.fake.agent.reboot();
        this.connections?.cut(machine.address);
    }

    turnOn(name: string): void {
        this.world.machines.get(name)!.isOn = true;
    }

    close(): Promise<void> {
        return this.fleet.stop();
    }

    private noteUnknown(): void {
        const { state, unrecorded } = this.engine;
        for (const urn of unrecorded) {
            const [, name] = /:Host::core-(\w+)$/.exec(urn) ?? [];
            if (name !== undefined) this.unknown.add(this.world.wanted.nodes[name]!);
        }
        unrecorded.clear();
        for (const { type, urn } of state.values())
            if (type === "Host") this.unknown.delete(this.world.wanted.nodes[urn.split("::core-")[1]!] ?? "");
    }

    private async run(
        work: (provider: ReturnType<typeof serve>, killed: Promise<void>) => Promise<RunResult>,
    ): Promise<Outcome> {
        const session = new RunSession();
        this.connections = new LocalConnections({ at: address => this.world.at(address) });
        const parts = session["parts"] as Map<unknown, unknown>;
        parts.set(Connections, this.connections);
        const killed = new Promise<void>(resolve => {
            this.killNow = resolve;
        });
        const warned: string[] = [];
        const noted: string[] = [];
        const provider = serve(session, {
            report: () => {},
            warn: (_urn, text) => void warned.push(text),
            note: (_urn, text) => void noted.push(text),
        });
        const result = await work(provider, killed);
        this.killNow = () => {};
        this.world.runEnds();
        this.noteUnknown();
        const [line] = noted.filter(text => text.startsWith("operation: "));
        return { ...result, warned, ...(line && { operation: line.slice("operation: ".length) }) };
    }
}

/** Steps that take time, so that others can overlap them. */
const slow = new Set([
    "cluster.join",
    "node.control-plane-settings",
    "node.kubelet-settings",
    "host.container-runtime-config",
]);
