// A resource that gives out what it has checked, as OperationStart does, and two that the guard of Nova's resources holds.
const { readFileSync } = require("node:fs");
const pulumi = require("@pulumi/pulumi");

const provider = {
    check: async (_olds, inputs) => ({ inputs }),
    create: async inputs => ({ id: "made", outs: inputs }),
    update: async (_id, _olds, inputs) => ({ outs: inputs }),
};
class Part extends pulumi.dynamic.Resource {}

const { cidr, flavor, module: guarded } = JSON.parse(readFileSync("args.json", "utf8"));
const { uncheckedGuard, shapeHashes } = require(guarded);
const fingerprintKey = pulumi.secret("key");
const server = { name: "w1", flavor, volumes: [], ports: [{}] };
const plan = { servers: [server], serverGroups: [] };
const kept = pulumi.output(JSON.stringify({ fixed: { "network.cidr": cidr }, masters: [] }));
const checked = new Part(provider, "start", { keptInputs: kept, shapes: shapeHashes(plan, fingerprintKey) });
const guard = uncheckedGuard({ checked, kept, fingerprintKey, plan });
const options = nodes => ({ dependsOn: guard(nodes).then(() => [checked]) });
new Part(provider, "subnet", { cidr }, options([]));
new Part(provider, "w1", { flavor }, options(["w1"]));
