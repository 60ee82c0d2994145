"use strict";
const { readFileSync } = require("node:fs");
const nfv = require("pulumi-nfv");

const core = new nfv.KubernetesCluster("core", JSON.parse(readFileSync("args.json", "utf8")));
exports.endpoint = core.endpoint;
exports.kubeconfig = core.kubeconfig;
