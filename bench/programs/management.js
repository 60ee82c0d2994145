"use strict";
const { readFileSync } = require("node:fs");
const nfv = require("pulumi-nfv");

const { cluster, management } = JSON.parse(readFileSync("args.json", "utf8"));
const core = new nfv.KubernetesCluster("core", cluster);
new nfv.ManagementCluster("management", { vim: core.vim, ...management });
exports.kubeconfig = core.kubeconfig;
