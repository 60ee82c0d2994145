import * as pulumi from "@pulumi/pulumi";
import * as nfv from "pulumi-nfv";

const config = new pulumi.Config("nfv");

/** Needed with several control-plane nodes. */
const vip = config.get("vip");

/** Two exports of one disk: for volumes as packages of OpenStack Tacker have them, and for typed ones. */
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
    ...(vip !== undefined && { controlPlane: { endpoint: { vip: { address: vip } } } }),
    pools: { workers: {} },
    storage: {
        server: { address: config.require("storageAddress") },
        volumes: { data: { disk: config.require("disk"), fileSystem: "xfs" } },
        exports: {
            "/volume/nfs/pv1": { volume: "data" },
            "/exports/database": { volume: "data", squash: "none", uid: 0, gid: 0 },
        },
        persistentVolumeManifests: [`${__dirname}/volumes`],
        persistentVolumes: {
            database: {
                path: "/exports/database",
                capacityGiB: 10,
                accessModes: ["ReadWriteOnce"],
                storageClassName: "database",
            },
        },
    },
});

export const { endpoint, kubeconfig } = core;
