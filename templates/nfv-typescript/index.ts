import * as pulumi from "@pulumi/pulumi";
import * as nfv from "pulumi-nfv";

const config = new pulumi.Config();
const vip = config.get("vip");

/** "10.0.0.21,10.0.0.22" → { w1: { address: "10.0.0.21" }, w2: { address: "10.0.0.22" } }. A node keeps its name as long as its place in the list stays. */
function machines(letter: string, addresses: string): Record<string, { address: string }> {
    const list = addresses.split(",").map(address => address.trim());
    return Object.fromEntries(
        list.filter(address => address !== "").map((address, i) => [`${letter}${i + 1}`, { address }]),
    );
}

/** Other words than these are the folder of a bundle. */
const sources: Record<string, nfv.SourceArgs> = { image: { image: {} }, apt: { apt: {} }, dnf: { dnf: {} } };
const source = config.get("source") ?? "image";
const privateKey = config.getSecret("privateKey");

// fromConfig: `npx nfv scale`, `heal` and `upgrade` change the cluster by the stack's configuration.
const core = new nfv.KubernetesCluster(
    "core",
    nfv.fromConfig({
        infrastructure: {
            hosts: {
                ssh: { user: config.require("user"), ...(privateKey ? { privateKey } : { agent: "env" }) },
                controlPlane: machines("m", config.require("controlPlane")),
                pools: { workers: machines("w", config.require("workers")) },
            },
        },
        kubernetes: {
            version: config.require("kubernetesVersion"),
            source: sources[source] ?? { bundle: { path: source } },
        },
        controlPlane: vip ? { endpoint: { vip: { address: vip } } } : {},
        pools: { workers: {} },
    }),
);

export const { endpoint, kubeconfig, nodes } = core;
