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
    const workload = config.getObject("workload");
    if (workload !== undefined) return workloadCluster(core.vim, workload);
    const { endpoint, kubeconfig, clusterId, snapshots, knownHosts } = core;
    return { endpoint, kubeconfig, clusterId, snapshots, knownHosts };
}

/** Cluster API on the cluster, and a cluster that it makes. */
function workloadCluster(vim, { bundle, ...args }) {
    const management = new nfv.ManagementCluster("management", { vim, bundle });
    if (args.manifests === undefined) return { kubeconfig: vim.kubeconfig };
    args.variables.OPENSTACK_CLOUD_YAML_B64 = config.requireSecret("cloudYaml");
    const { kubeconfig, machines } = new nfv.WorkloadCluster("own", { management, ...args });
    return { kubeconfig, machines };
}

function storageServer(args) {
    const { address, owner, snapshots } = new nfv.StorageServer("files", args);
    return { address, owner, snapshots };
}

const files = config.getObject("storageServer");
module.exports = files === undefined ? cluster(config.requireObject("cluster")) : storageServer(files);
