// One cluster whose arguments the test writes into args.json; run by the real engine.
const { readFileSync } = require("node:fs");
const nfv = require("pulumi-nfv");

const core = new nfv.KubernetesCluster("core", JSON.parse(readFileSync("args.json", "utf8")));
exports.nodes = core.nodes;
