import { FakeFleet } from "../../testing";
import type { StepSeconds } from "../critical-path";
export interface SimulatedCluster {
    fleet: FakeFleet;
    /** Arguments of KubernetesCluster for these machines. */
    args: Record<string, unknown>;
    stop(): Promise<void>;
}
export declare const names: (letter: string, count: number) => string[];
/** Machines that only pretend, and an API that knows what a Vim asks. Everything between program and SSH server is real. */
export declare function simulatedCluster(
    masters: number,
    workers: number,
    durations?: StepSeconds,
    timeScale?: number,
): Promise<SimulatedCluster>;
interface Target {
    port?: number;
    privateKey?: string;
    hostKey?: string;
}
/** Pure: the arguments a user would write for such machines. */
export declare function clusterArguments(
    masters: number,
    workers: number,
    apiPort: number,
    target: (name: string) => Target,
): {
    infrastructure: {
        hosts: {
            ssh: {
                user: string;
                privateKey: string | undefined;
                connectTimeoutSeconds: number;
            };
            controlPlane: {
                [k: string]: {
                    address: string;
                    ssh: {
                        host: string;
                        port: number | undefined;
                        hostKey: string | undefined;
                    };
                };
            };
            pools: {
                workers: {
                    [k: string]: {
                        address: string;
                        ssh: {
                            host: string;
                            port: number | undefined;
                            hostKey: string | undefined;
                        };
                    };
                };
            };
        };
    };
    kubernetes: {
        version: string;
    };
    controlPlane: {
        endpoint: {
            vip: {
                address: string;
                port: number;
            };
        };
    };
    pools: {
        workers: {};
    };
};
