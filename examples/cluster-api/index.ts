import * as pulumi from "@pulumi/pulumi";
import * as nfv from "pulumi-nfv";

/** Four layers: a cluster, Cluster API on it, a cluster that Cluster API makes in the cloud, a network function on that. See docs/cluster-api.md. */
const config = new pulumi.Config("nfv");

const bundle = config.require("bundle");
const core = new nfv.KubernetesCluster("core", {
    infrastructure: {
        nova: {
            image: config.require("image"),
            flavor: config.require("flavor"),
            externalNetwork: config.require("externalNetwork"),
        },
    },
    kubernetes: { version: config.get("kubernetesVersion") ?? "1.36.3", source: { bundle: { path: bundle } } },
    pools: { workers: { count: 1 } },
    kubelet: config.getObject<Record<string, unknown>>("kubelet") ?? {},
    kubeProxy: config.getObject<Record<string, unknown>>("kubeProxy") ?? {},
});

const management = new nfv.ManagementCluster("management", { vim: core.vim, bundle });

/** The image has a container runtime, kubeadm and kubelet. */
const image = config.require("workloadImage");
const flavor = config.get("workloadFlavor") ?? config.require("flavor");
const site = new nfv.WorkloadCluster("site", {
    management,
    version: config.get("workloadVersion") ?? "1.36.3",
    openstack: {
        identity: { cloudsYaml: config.requireSecret("cloudsYaml") },
        externalNetwork: config.require("externalNetwork"),
    },
    controlPlane: { flavor, image },
    pools: { md: { flavor, image, replicas: config.getNumber("workers") ?? 2 } },
    kubeadm: config.getObject<nfv.WorkloadKubeadmArgs>("kubeadm") ?? {},
    healthCheck: { notReadySeconds: config.getNumber("notReadySeconds") ?? 300 },
    timeoutSeconds: config.getNumber("timeoutSeconds") ?? 1800,
});

const upf = new nfv.Cnf("upf", {
    vim: site.vim,
    manifests: [`${__dirname}/manifests`],
    namespace: "nfv",
    createNamespace: false,
});

export const { endpoint, kubeconfig, machines } = site;
export const { versions } = management;
export const scalable = upf.scalable;
