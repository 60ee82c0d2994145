import { FakeFleet } from "../../testing";
import type { StepSeconds } from "../critical-path";
import { FakeApi } from "./fake-api";

export interface SimulatedCluster {
    fleet: FakeFleet;
    /** Arguments of KubernetesCluster for these machines. */
    args: Record<string, unknown>;
    stop(): Promise<void>;
}

export const names = (letter: string, count: number) => Array.from({ length: count }, (_, i) => `${letter}${i + 1}`);

/** Machines that only pretend, and an API that knows what a Vim asks. Everything between program and SSH server is real. */
export async function simulatedCluster(
    masters: number,
    workers: number,
    durations: StepSeconds = () => 0,
    timeScale = 1,
): Promise<SimulatedCluster> {
    const all = [...names("m", masters), ...names("w", workers)];
    const fleet = await FakeFleet.start({
        nodes: all,
        durations,
        timeScale,
    });
    for (const [name, node] of fleet.nodes) {
        node.on({ startsWith: ["nfv-step"] }, ({ argv }) => ({
            delaySeconds: durations(name, argv[1]) * timeScale,
        }));
    }
    const keyOf = (file: string) => {
        const text = fleet.node("m1").files.text(`/etc/kubernetes/pki/${file}`);
        if (text === undefined) {
            throw new Error("m1 has no keys of the cluster yet");
        }
        return text;
    };
    const api = await FakeApi.start(() => ({ certificate: keyOf("ca.crt"), key: keyOf("ca.key") }));
    return {
        fleet,
        args: clusterArguments(masters, workers, api.port, name => fleet.target(name)),
        stop: async () => {
            await api.stop();
            await fleet.stop();
        },
    };
}

interface Target {
    port?: number;
    privateKey?: string;
    hostKey?: string;
}

/** Pure: the arguments a user would write for such machines. */
export function clusterArguments(masters: number, workers: number, apiPort: number, target: (name: string) => Target) {
    const machines = (letter: string, count: number, network: number) =>
        Object.fromEntries(
            names(letter, count).map((name, i) => {
                const { port, hostKey } = target(name);
                return [name, { address: `10.99.${network}.${i + 1}`, ssh: { host: "127.0.0.1", port, hostKey } }];
            }),
        );
    return {
        infrastructure: {
            hosts: {
                ssh: { user: "root", privateKey: target("m1").privateKey, connectTimeoutSeconds: 120 },
                controlPlane: machines("m", masters, 1),
                pools: { workers: machines("w", workers, 2) },
            },
        },
        kubernetes: { version: "1.34.4" },
        controlPlane: { endpoint: { vip: { address: "127.0.0.1", port: apiPort } } },
        pools: { workers: {} },
    };
}
