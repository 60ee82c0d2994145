"use strict";
const pulumi = require("@pulumi/pulumi");
const nfv = require("pulumi-nfv");

const config = new pulumi.Config();
const core = new nfv.KubernetesCluster("core", config.requireObject("cluster"));
const manifests = config.get("manifests");
if (manifests !== undefined) new nfv.Cnf("web", { vim: core.vim, manifests: [manifests], namespace: "demo" });

module.exports = { endpoint: core.endpoint, kubeconfig: core.kubeconfig, clusterId: core.clusterId };
