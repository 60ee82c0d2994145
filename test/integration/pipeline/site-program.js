// A cluster whose arguments the test writes into args.json, with what operations have set in the stack's configuration.
const { readFileSync } = require("node:fs");
const nfv = require("pulumi-nfv");

const args = JSON.parse(readFileSync(`${__dirname}/args.json`, "utf8"));
const core = new nfv.KubernetesCluster("core", nfv.fromConfig(args));
exports.nodes = core.nodes;
exports.kubeconfig = core.kubeconfig;
