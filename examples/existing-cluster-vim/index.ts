import * as pulumi from "@pulumi/pulumi";
import * as nfv from "pulumi-nfv";

const config = new pulumi.Config("nfv");

/** Somebody else's cluster. The Vim hands out the token of a service account that it makes, not the token that we were given. */
const site = new nfv.Vim("site", {
    endpoint: config.require("endpoint"),
    caCertificate: config.require("caCertificate"),
    auth: { bearerToken: config.requireSecret("bearerToken") },
    serviceAccount: { name: "network-functions" },
});

const upf = new nfv.Cnf("upf", {
    vim: site,
    namespace: "packet-core",
    objects: [
        {
            apiVersion: "apps/v1",
            kind: "Deployment",
            metadata: { name: "upf" },
            spec: {
                selector: { matchLabels: { app: "upf" } },
                template: {
                    metadata: { labels: { app: "upf" } },
                    spec: { containers: [{ name: "upf", image: config.require("image") }] },
                },
            },
        },
    ],
    replicas: { upf: 2 },
});

export const { serverVersion, kubeconfig } = site;
export const scalable = upf.scalable;
