// A program with what stands before the servers of a stack; run by the real engine.
const { readFileSync } = require("node:fs");
const { package: root, names, flavor } = JSON.parse(readFileSync("args.json", "utf8"));
const pulumi = require(`${root}/node_modules/@pulumi/pulumi`);
const { ServerKeys, OperationStart } = require(`${root}/dist/provider/adapters/dynamic`);

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
    ssh: { user: "nfv", port: 1, privateKey: keys.privateKey },
    seed: keys.seed,
});
exports.generations = start.generations;
exports.publicKey = keys.publicKey;

/** Stands for the stack: updated where a generation is another one. */
class Stack extends pulumi.dynamic.Resource {
    constructor(name, inputs) {
        super({ create: async outs => ({ id: "stack", outs }), update: async (_id, _olds, outs) => ({ outs }) }, name, inputs);
    }
}
new Stack("stack", { generations: start.generations.apply(each => `g-${JSON.stringify(each)}`) });
