"use strict";
const pulumi = require("@pulumi/pulumi");
const nfv = require("pulumi-nfv");

const config = new pulumi.Config();

function cluster(args) {
    const lateImage = config.get("lateImage");
    // As if another resource gave it.
    if (lateImage) args.infrastructure.heat.template.parameters.image = pulumi.output(Promise.resolve(lateImage));
    const core = new nfv.KubernetesCluster("core", args);
    const manifests = config.get("manifests");
    if (manifests !== undefined) new nfv.Cnf("web", { vim: core.vim, manifests: [manifests], namespace: "demo" });
    const { endpoint, kubeconfig, clusterId, snapshots } = core;
    return { endpoint, kubeconfig, clusterId, snapshots };
}

function storageServer(args) {
    const { address, owner, snapshots } = new nfv.StorageServer("files", args);
    return { address, owner, snapshots };
}

const files = config.getObject("storageServer");
module.exports = files === undefined ? cluster(config.requireObject("cluster")) : storageServer(files);
