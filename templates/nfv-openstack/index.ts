import * as pulumi from "@pulumi/pulumi";
import * as nfv from "pulumi-nfv";

const config = new pulumi.Config();

/** Other words than these are the folder of a bundle. */
const sources: Record<string, nfv.SourceArgs> = { image: { image: {} }, apt: { apt: {} }, dnf: { dnf: {} } };
const source = config.require("source");

// fromConfig: `npx nfv scale`, `heal` and `upgrade` change the cluster by the stack's configuration.
const core = new nfv.KubernetesCluster(
    "core",
    nfv.fromConfig({
        infrastructure: {
            nova: {
                image: config.require("image"),
                flavor: config.require("flavor"),
                externalNetwork: config.require("externalNetwork"),
            },
        },
        kubernetes: {
            version: config.require("kubernetesVersion"),
            source: sources[source] ?? { bundle: { path: source } },
        },
        controlPlane: { count: config.requireNumber("controlPlane") },
        pools: { workers: { count: config.requireNumber("workers") } },
    }),
);

export const { endpoint, kubeconfig, nodes } = core;
