import * as pulumi from "@pulumi/pulumi";
import * as nfv from "pulumi-nfv";

/** `npm start` writes this configuration for its lab; for machines of your own see README.md. */
const config = new pulumi.Config("nfv");

/** How many of the pool's machines; all by default. */
const workers = config.getNumber("workers");

const core = new nfv.KubernetesCluster("core", {
    infrastructure: {
        hosts: {
            ...config.requireObject<nfv.HostsArgs>("hosts"),
            ssh: { user: config.get("user") ?? "root", privateKey: config.requireSecret("privateKey") },
        },
    },
    kubernetes: {
        version: config.get("kubernetesVersion") ?? "1.36.3",
        source: config.getObject<nfv.SourceArgs>("source") ?? { image: {} },
    },
    controlPlane: { endpoint: { vip: { address: config.require("vip") } } },
    pools: {
        workers: {
            ...(workers !== undefined && { count: workers }),
            labels: config.getObject<Record<string, string>>("labels") ?? { tier: "packet-core" },
        },
    },
    kubelet: config.getObject<Record<string, unknown>>("kubelet") ?? {},
    kubeProxy: config.getObject<Record<string, unknown>>("kubeProxy") ?? {},
});

export const { endpoint, kubeconfig, nodes } = core;

/** A network function with two replicas on different workers. `cnf: false` leaves it out, for sites without Pulumi's Kubernetes plugin. */
export const web =
    config.getBoolean("cnf") === false
        ? undefined
        : new nfv.Cnf("web", {
              vim: core.vim,
              manifests: [`${__dirname}/manifests`],
              namespace: "demo",
              replicas: { web: config.getNumber("replicas") ?? 2 },
          }).scalable;
