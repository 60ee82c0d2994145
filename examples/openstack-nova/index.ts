import * as pulumi from "@pulumi/pulumi";
import * as nfv from "pulumi-nfv";

/** OS_CLOUD selects the cloud in clouds.yaml. Nova, Neutron and Cinder make the servers one by one. See docs/openstack.md. */
const config = new pulumi.Config();

const core = new nfv.KubernetesCluster("core", {
    infrastructure: {
        nova: {
            image: config.require("image"),
            flavor: config.require("flavor"),
            externalNetwork: config.require("externalNetwork"),
            // Everybody who reaches the floating IPs may reach the network function on its node port.
            access: { nodePortCidrs: ["0.0.0.0/0"] },
        },
    },
    kubernetes: {
        version: config.get("kubernetesVersion") ?? "1.36.3",
        source: config.getObject<nfv.SourceArgs>("source") ?? { image: {} },
    },
    controlPlane: { count: config.requireNumber("masters") },
    pools: { workers: { count: config.requireNumber("workers"), labels: { tier: "packet-core" } } },
    kubelet: config.getObject<Record<string, unknown>>("kubelet") ?? {},
    kubeProxy: config.getObject<Record<string, unknown>>("kubeProxy") ?? {},
});

const web = new nfv.Cnf("web", {
    vim: core.vim,
    manifests: [`${__dirname}/manifests`],
    namespace: "demo",
    replicas: { web: config.getNumber("replicas") ?? 2 },
});

export const { endpoint, kubeconfig, nodes } = core;
export const scalable = web.scalable;
