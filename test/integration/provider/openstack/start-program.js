// A program with what stands before the servers of a stack; run by the real engine.
const { readFileSync } = require("node:fs");
const { package: root, names, flavor } = JSON.parse(readFileSync("args.json", "utf8"));
const { ServerKeys, OperationStart } = require(`${root}/dist/provider/dynamic`);

const keys = new ServerKeys("core", { clusterName: "core" });
const node = name => ({
    role: "worker",
    shape: { image: "debian-12", flavor },
    stack: { server: `${name}_server`, address: `${name}_address` },
});
const spec = {
    clusterId: keys.publicKey.apply(() => "core-1"),
    clusterName: "core",
    backEnd: "heat",
    cloud: { cloud: "lab" },
    stackName: "core",
    nodes: Object.fromEntries(names.map(name => [name, node(name)])),
    drain: { timeoutSeconds: 5, policy: "fail" },
    leftovers: "list",
};
const start = new OperationStart("core", {
    spec,
    ssh: { user: "nfv", privateKey: keys.privateKey },
    seed: keys.seed,
});
exports.generations = start.generations;
exports.publicKey = keys.publicKey;
// Stands for the stack: made anew where a generation is another one, or not known.
new ServerKeys("stack", { clusterName: start.generations.apply(each => `g-${JSON.stringify(each)}`) });
