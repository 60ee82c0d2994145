import * as pulumi from "@pulumi/pulumi";
import * as nfv from "pulumi-nfv";

/** Your own Heat template makes the servers. See docs/heat-templates.md. */
const config = new pulumi.Config();
const style = config.require("style");
const image = config.require("image");
const flavor = config.require("flavor");
const external_network = config.require("externalNetwork");
const network = config.require("network");

const templates: Record<string, nfv.HeatTemplateArgs> = {
    contract: {
        file: `${__dirname}/contract/cluster.yaml`,
        parameters: { image, flavor, external_network },
    },
    tacker: {
        file: `${__dirname}/tacker/top.yaml`,
        parameters: { external_network },
        tacker: {
            userDataClass: "KubernetesClusterUserData",
            masterNode: {
                aspect: "master_instance",
                vdu: "masterNode",
                nicConnectionPoint: "masterNode_CP1",
                sshConnectionPoint: "masterNode_FloatingIP",
            },
            workerNodes: {
                workers: {
                    aspect: "worker_instance",
                    vdu: "workerNode",
                    nicConnectionPoint: "workerNode_CP2",
                    sshConnectionPoint: "workerNode_FloatingIP",
                },
            },
            // A single control-plane node needs no virtual address: Tacker's users name the node's own port here.
            clusterConnectionPoint: "masterNode_CP1",
            vdus: { masterNode: { flavor, image }, workerNode: { flavor, image } },
            connectionPoints: { masterNode_CP1: { network }, workerNode_CP2: { network } },
        },
    },
};

const core = new nfv.KubernetesCluster("core", {
    clusterName: `core-${style}`,
    infrastructure: { heat: { template: templates[style] } },
    kubernetes: { version: config.get("kubernetesVersion") ?? "1.36.3" },
    controlPlane: { count: 1 },
    pools: { workers: { count: config.requireNumber("workers") } },
    kubelet: config.getObject<Record<string, unknown>>("kubelet") ?? {},
    kubeProxy: config.getObject<Record<string, unknown>>("kubeProxy") ?? {},
});

export const { endpoint, kubeconfig, nodes } = core;
