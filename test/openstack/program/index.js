"use strict";
const pulumi = require("@pulumi/pulumi");
const nfv = require("pulumi-nfv");

const config = new pulumi.Config();
const args = config.requireObject("cluster");
const lateImage = config.get("lateImage");
// As if another resource gave it.
if (lateImage) args.infrastructure.heat.template.parameters.image = pulumi.output(Promise.resolve(lateImage));
const core = new nfv.KubernetesCluster("core", args);
const manifests = config.get("manifests");
if (manifests !== undefined) new nfv.Cnf("web", { vim: core.vim, manifests: [manifests], namespace: "demo" });

const { endpoint, kubeconfig, clusterId, snapshots } = core;
module.exports = { endpoint, kubeconfig, clusterId, snapshots };
