"use strict";
const pulumi = require("@pulumi/pulumi");
const nfv = require("pulumi-nfv");

const config = new pulumi.Config();
const args = config.requireObject("cluster");
const secrets = config.getSecretObject("secrets");
const ssh = args.infrastructure.hosts.ssh;
// Tests pin a version for longer than upstream supports it.
args.kubernetes.allowUnsupportedVersion = true;
if (secrets) {
    ssh.privateKey = secrets.privateKey;
    if (args.registries) for (const mirror of Object.values(args.registries)) mirror.password = secrets.registryPassword;
    if (args.proxy) args.proxy.httpsProxy = secrets.proxy;
    if (args.etcdBackup) {
        args.etcdBackup.password = secrets.backupPassword;
        const { sftp, s3 } = args.etcdBackup.repository;
        if (sftp) sftp.privateKey = secrets.privateKey;
        if (s3) s3.secretKey = secrets.s3SecretKey;
    }
}
const core = new nfv.KubernetesCluster("core", nfv.fromConfig(args));
const objects = config.getObject("objects");
if (objects) {
    new nfv.Cnf("web", { vim: core.vim, objects, namespace: "web", replicas: config.getObject("replicas"), timeoutSeconds: 240 });
}
// Further network functions: name → arguments.
for (const [name, { aliases, ...cnf }] of Object.entries(config.getObject("cnfs") ?? {})) {
    new nfv.Cnf(name, { vim: core.vim, ...cnf }, { aliases });
}
const management = config.getObject("management");
if (management) {
    const pivot = config.getObject("pivot");
    const { clientCertificate, clientKey } = secrets ?? {};
    // A cluster that manages itself, known by values of its own.
    const vim = pivot?.vim && new nfv.Vim("self", { ...pivot.vim, auth: { clientCertificate, clientKey } });
    const made = pivot?.withoutFirst ? undefined : new nfv.ManagementCluster("management", { vim: core.vim, ...management });
    if (made) exports.managementVersions = made.versions;
    // It was made with kubectl.
    if (vim && !pivot.of) {
        const self = new nfv.ManagementCluster("self", { vim, ...management });
        if (pivot.move) exports.moved = new nfv.MovedClusters("pivot", { from: made, to: self, ...pivot.move }).clusters;
    }
    for (const [name, workload] of Object.entries(config.getObject("workloads") ?? {})) {
        const { identity } = workload.openstack ?? {};
        if (identity?.cloudsYaml) identity.cloudsYaml = pulumi.secret(identity.cloudsYaml);
        const of = pivot?.of === name;
        const place = of && vim ? { managementVim: vim } : { management: made };
        const cluster = new nfv.WorkloadCluster(name, { ...place, ...workload, allowUnsupportedVersion: true });
        exports[`kubeconfig-${name}`] = cluster.kubeconfig;
        exports[`machines-${name}`] = cluster.machines;
        // It is made by this program, and is to manage itself.
        if (of) {
            const self = new nfv.ManagementCluster("self", { vim: cluster.vim, ...management });
            const { retainOnDelete = false } = pivot;
            const ends = { pivot: { from: made, to: self }, back: { from: self, to: made } };
            for (const way of ["pivot", "back"]) {
                const settings = pivot[{ pivot: "move", back: "moveBack" }[way]];
                if (settings) exports.moved = new nfv.MovedClusters(way, { ...ends[way], ...settings }, { retainOnDelete }).clusters;
            }
        }
        // Network functions on it: name → arguments.
        for (const [cnf, each] of Object.entries(config.getObject("workloadCnfs")?.[name] ?? {})) {
            new nfv.Cnf(cnf, { vim: cluster.vim, ...each });
        }
    }
}
// A second cluster, with a management cluster of its own, to which clusters may move.
const second = config.getObject("second");
if (second) {
    if (secrets) second.infrastructure.hosts.ssh.privateKey = secrets.privateKey;
    second.kubernetes.allowUnsupportedVersion = true;
    const other = new nfv.KubernetesCluster("second", second);
    const to = new nfv.ManagementCluster("second", { vim: other.vim, ...management });
    const move = config.getObject("move");
    if (move) exports.moved = new nfv.MovedClusters("pivot", { fromVim: core.vim, to, ...move }).clusters;
    exports.secondKubeconfig = other.kubeconfig;
}
exports.kubeconfig = core.kubeconfig;
exports.endpoint = core.endpoint;
exports.token = core.vim.bearerToken;
exports.vimKubeconfig = core.vim.kubeconfig;
exports.earliestExpiry = core.earliestExpiry;
exports.etcdSnapshot = core.etcdSnapshot;
