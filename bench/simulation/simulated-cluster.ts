import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type FakeBehaviour, FakeFleet } from "../../testing";
import { FakeApi } from "../../testing/fake-api";
import type { StepSeconds } from "../critical-path";
import type { RecordedSource } from "../recorded-steps";

export interface SimulatedCluster {
    fleet: FakeFleet;
    /** Arguments of KubernetesCluster for these machines. */
    args: Record<string, unknown>;
    /** Folder of the bundle, if machines install from one. */
    bundle?: string;
    stop(): Promise<void>;
}

export const names = (letter: string, count: number) => Array.from({ length: count }, (_, i) => `${letter}${i + 1}`);

interface SimulationOptions {
    /** @default 1 */
    timeScale?: number;
    /** @default "image" */
    source?: RecordedSource;
    /** How steps and acts end, where their time depends on more than the machine. */
    steps?: FakeBehaviour["steps"];
}

/** Simulated machines, and an API for a Vim. Everything between program and SSH server is real. */
export async function simulatedCluster(
    masters: number,
    workers: number,
    durations: StepSeconds = () => 0,
    { timeScale = 1, source = "image" as RecordedSource, steps }: SimulationOptions = {},
): Promise<SimulatedCluster> {
    const all = [...names("m", masters), ...names("w", workers)];
    const fleet = await FakeFleet.start({
        nodes: all,
        durations,
        timeScale,
        ...(steps && { steps }),
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
    const args = clusterArguments(masters, workers, api.port, name => fleet.target(name));
    const bundle = source === "bundle" ? smallBundle() : undefined;
    return {
        fleet,
        bundle,
        args: bundle ? { ...args, kubernetes: { ...args.kubernetes, source: { bundle: { path: bundle } } } } : args,
        stop: async () => {
            await api.stop();
            await fleet.stop();
            if (bundle) rmSync(bundle, { recursive: true });
        },
    };
}

/** A bundle with a tiny file of each kind, which leads to the steps of a real one. Another version has another image. */
export function smallBundle(kubernetes = "1.36.3"): string {
    const folder = mkdtempSync(join(tmpdir(), "nfv-bundle-"));
    const kinds = { "bin/kubelet": "binary", "cni/bridge": "cni", "images/kube-proxy.tar": "image" };
    const files = Object.entries(kinds).map(([path, kind]) => {
        const content = `${path} ${kubernetes}`;
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), content);
        const sha256 = createHash("sha256").update(content).digest("hex");
        const image = kind === "image" ? { image: `registry.k8s.io/kube-proxy:v${kubernetes}` } : {};
        return { path, kind, sha256, sizeBytes: content.length, roles: ["controlPlane", "worker"], ...image };
    });
    const manifest = { apiVersion: "pulumi-nfv/v1", kubernetes, arch: "amd64", files };
    writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
    return folder;
}

interface Target {
    port?: number;
    privateKey?: string;
    hostKey?: string;
}

/** Pure: the arguments that a user would write for such machines. */
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
        kubernetes: { version: "1.36.3" },
        controlPlane: { endpoint: { vip: { address: "127.0.0.1", port: apiPort } } },
        pools: { workers: {} },
    };
}
