/** A program, as far as sequences change it. */
export interface Program {
    masters: number;
    workers: number;
    /** Names of nodes that leave and do not come back by themselves. */
    remove: string[];
    /** Values of settings: only whether they differ counts. */
    labels: number;
    kubelet: number;
    apiServer: number;
    /** Nodes that are on their spare machine. */
    moved: string[];
}

const masterNames = ["m1", "m2", "m3", "m4", "m5"];
const workerNames = ["w1", "w2", "w3", "w4"];

export const firstProgram: Program = {
    ...{ masters: 1, workers: 1, remove: [], labels: 0, kubelet: 0, apiServer: 0, moved: [] },
};

/** Machine → address. Each node has a spare one: "m2b". */
export const machines: Record<string, string> = Object.fromEntries(
    [...masterNames, ...workerNames].flatMap(name => {
        const address = `${name.startsWith("m") ? 1 : 2}.${name.slice(1)}`;
        return [
            [name, `10.99.${address}`],
            [`${name}b`, `10.98.${address}`],
        ];
    }),
);

export const machineOf = ({ moved }: Program, name: string) => (moved.includes(name) ? `${name}b` : name);

export const mastersOf = ({ masters, remove }: Program) =>
    masterNames.filter(name => !remove.includes(name)).slice(0, masters);
export const workersOf = ({ workers, remove }: Program) =>
    workerNames.filter(name => !remove.includes(name)).slice(0, workers);

/** Name → machine of all nodes. */
export function nodesOf(program: Program): Record<string, string> {
    const names = [...mastersOf(program), ...workersOf(program)];
    return Object.fromEntries(names.map(name => [name, machineOf(program, name)]));
}

/** Whether there are as many machines as the program wants. */
export function isPossible(program: Program): boolean {
    return mastersOf(program).length === program.masters && workersOf(program).length === program.workers;
}

/** As a user would write it. */
export function argumentsOf(program: Program, privateKey: string): object {
    const { masters, workers, remove, labels, kubelet, apiServer } = program;
    const machine = (name: string) => [name, { address: machines[machineOf(program, name)] }];
    return {
        infrastructure: {
            hosts: {
                ssh: { privateKey },
                controlPlane: Object.fromEntries(masterNames.map(machine)),
                pools: { workers: Object.fromEntries(workerNames.map(machine)) },
            },
        },
        kubernetes: { version: "1.36.3" },
        controlPlane: {
            count: masters,
            remove: remove.filter(name => masterNames.includes(name)),
            // Nothing listens there.
            endpoint: { vip: { address: "127.0.0.1", port: 9 } },
            extraArgs: { apiServer: { "request-timeout": `${60 + apiServer}s` } },
        },
        pools: {
            workers: {
                count: workers,
                remove: remove.filter(name => workerNames.includes(name)),
                labels: { site: `s${labels}` },
            },
        },
        kubelet: { maxPods: 100 + kubelet },
    };
}
