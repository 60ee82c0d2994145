"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.names = void 0;
exports.simulatedCluster = simulatedCluster;
exports.clusterArguments = clusterArguments;
const testing_1 = require("../../testing");
const fake_api_1 = require("./fake-api");
const names = (letter, count) => Array.from({ length: count }, (_, i) => `${letter}${i + 1}`);
exports.names = names;
/** Machines that only pretend, and an API that knows what a Vim asks. Everything between program and SSH server is real. */
async function simulatedCluster(masters, workers, durations = () => 0, timeScale = 1) {
    const all = [...(0, exports.names)("m", masters), ...(0, exports.names)("w", workers)];
    const fleet = await testing_1.FakeFleet.start({
        nodes: all,
        durations,
        timeScale,
    });
    for (const [name, node] of fleet.nodes) {
        node.on({ startsWith: ["nfv-step"] }, ({ argv }) => ({
            delaySeconds: durations(name, argv[1]) * timeScale,
        }));
    }
    const keyOf = (file) => {
        const text = fleet.node("m1").files.text(`/etc/kubernetes/pki/${file}`);
        if (text === undefined) {
            throw new Error("m1 has no keys of the cluster yet");
        }
        return text;
    };
    const api = await fake_api_1.FakeApi.start(() => ({ certificate: keyOf("ca.crt"), key: keyOf("ca.key") }));
    return {
        fleet,
        args: clusterArguments(masters, workers, api.port, name => fleet.target(name)),
        stop: async () => {
            await api.stop();
            await fleet.stop();
        },
    };
}
/** Pure: the arguments a user would write for such machines. */
function clusterArguments(masters, workers, apiPort, target) {
    const machines = (letter, count, network) => Object.fromEntries((0, exports.names)(letter, count).map((name, i) => {
        const { port, hostKey } = target(name);
        return [name, { address: `10.99.${network}.${i + 1}`, ssh: { host: "127.0.0.1", port, hostKey } }];
    }));
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
//# sourceMappingURL=simulated-cluster.js.map