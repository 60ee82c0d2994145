"use strict";
const { readFileSync } = require("node:fs");
const nfv = require("pulumi-nfv");

const args = JSON.parse(readFileSync("args.json", "utf8"));
// Benchmarks pin a version for longer than upstream supports it.
args.kubernetes.allowUnsupportedVersion = true;
const core = new nfv.KubernetesCluster("core", args);
exports.endpoint = core.endpoint;
exports.kubeconfig = core.kubeconfig;
