import type { TenantsSpec } from "../../../../provider/admission/tenants-spec";
import { type CloudProviderSpec, cloudProviderSteps } from "../../../../provider/cloud-provider/cloud-provider";
import { addOnSteps } from "../../../../provider/cluster/add-ons";
import { type ClusterNetworkSpec, networkSteps } from "../../../../provider/cluster/cluster-network";
import { operationEndSteps } from "../../../../provider/cluster/operation-end";
import type { OperationEndSpec } from "../../../../provider/cluster/operation-end-inputs";
import { etcdBackupSteps } from "../../../../provider/etcd/snapshot-steps";
import { hostSteps } from "../../../../provider/host/host-steps";
import { nodeSteps } from "../../../../provider/member/node-steps";
import { authorityRotationSteps } from "../../../../provider/procedures/authorities/authority-acts";
import { encryptionRotationSteps } from "../../../../provider/procedures/encryption-key/encryption-acts";
import { etcdRestoreSteps } from "../../../../provider/procedures/etcd-restore/settings";
import { serviceAccountRotationSteps } from "../../../../provider/procedures/service-account-key/service-account-acts";
import type { StepBody, StepFactory } from "../../../../provider/steps/types";
import { storageBackupSteps, storageSteps } from "../../../../provider/storage/storage-steps";
import { sampleEtcdBackup } from "../etcd/sample-etcd-backup";
import { hostSpec, hostSpecs, nodeSpec, nodeSpecs, vipEndpoint } from "../sample-specs";
import {
    sampleBackup,
    sampleExport,
    sampleRestore,
    sampleS3,
    sampleSftp,
    sampleStorage,
    sampleVolume,
} from "../storage/sample-storage";

/** A list of steps, and specs that together lead to each of its steps and each of its scripts. */
export interface StepList {
    specs: readonly unknown[];
    bodiesOf: (spec: unknown) => StepBody[];
}

function listOf<Spec>(factories: readonly StepFactory<Spec>[], specs: readonly Spec[]): StepList {
    return {
        specs,
        bodiesOf: spec => factories.map(factory => factory(spec as Spec)).filter(body => body !== undefined),
    };
}

const clusterId = "core-1234";
const tenants: TenantsSpec = {
    externalIps: ["192.0.2.0/28"],
    reserved: ["10.0.0.100", "10.0.0.31"],
    storageServers: ["10.0.0.31"],
    nfsServers: ["filer.site"],
    controlPlaneTaints: [{ key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" }],
};

const cniSpec = { clusterId, podCidr: "10.244.0.0/16", kubectlPath: "/usr/local/bin/kubectl", tenants };
const networkSpecs: ClusterNetworkSpec[] = [
    { ...cniSpec, cni: "bridge", image: "site/podnet:1", coreDnsApart: true, virtualAddress: "10.0.0.100" },
    { ...cniSpec, cni: "flannel", image: "site/flannel" },
    { ...cniSpec, cni: "manifests", manifests: ["kind: A\n"] },
    { ...cniSpec, cni: "none" },
];

const part = { enabled: true, version: "v1.34.1" };
const cloudProviderSpecs: CloudProviderSpec[] = [true, false].map(enabled => ({
    clusterId,
    access: { authUrl: "https://cloud/v3", applicationCredentialId: "id", applicationCredentialSecret: "secret" },
    cloudControllerManager: { ...part, enabled, loadBalancer: { enabled: true } },
    cinderCsi: { ...part, enabled, ignoreVolumeZone: true, storageClasses: { fast: { volumeType: "ssd" } } },
}));

const [withCinder] = cloudProviderSpecs;
cloudProviderSpecs.push({ ...withCinder!, cinderCsi: { ...withCinder!.cinderCsi!, snapshots: true } });

const operationEndSpec: OperationEndSpec = {
    clusterId,
    nodes: { m1: "10.0.0.11", w1: "10.0.0.21" },
    servers: { m1: "s1", w1: "s2" },
    nodeIds: { m1: "core-1234/m1/01020304" },
    endpoint: vipEndpoint,
    waitForNodes: true,
    timeoutSeconds: 300,
};

const storageSpecs = [
    sampleStorage(),
    sampleStorage({
        volumes: {
            data: sampleVolume(),
            logs: sampleVolume({ disk: "/dev/disk/by-id/two", fileSystem: "xfs", sizeGiB: 5 }),
        },
        exports: {
            "/exports/logs": sampleExport({
                volume: "logs",
                registeredClients: true,
                squash: "none",
                options: ["insecure"],
            }),
        },
        nfs3: true,
        proxy: { httpProxy: "http://u:canary@proxy:3128", noProxy: ["10.0.0.0/8"] },
    }),
    sampleStorage({
        backups: {
            nightly: sampleBackup({ schedule: "daily" }),
            far: sampleBackup({ repository: { sftp: sampleSftp }, run: "one" }),
            cloud: sampleBackup({ repository: { s3: sampleS3 } }),
        },
        restores: { lost: sampleRestore() },
    }),
];

const etcdBackupSpecs = [
    sampleEtcdBackup(),
    sampleEtcdBackup({ schedule: "hourly", run: "one", program: "v1" }, { turn: 1 }),
    sampleEtcdBackup({ repository: { sftp: sampleSftp } }),
    sampleEtcdBackup({ repository: { s3: sampleS3 } }),
];

const rotationStages = [{ address: "10.0.0.11", keyName: "key-0123456789", key: "c2VjcmV0" }];

const keyStages = [{ address: "10.0.0.11", keyName: "kid", key: "c2VjcmV0", publicKey: "public" }];

const authorityStages = (["controlPlane", "worker"] as const).map(role => ({
    ...{
        role,
        address: "10.0.0.11",
        away: [],
        name: "0123456789",
        authorities: "ca.crt Y2VydA==\n",
        kubelet: "certificate",
    },
}));

/** Clusters with storage: the client is installed, or looked for in the image. */
const withStorage = [hostSpec({ nfsClient: true }), hostSpec({ nfsClient: true, source: { image: {} } })];

const moving = hostSpec({ formerEndpoints: [{ host: "former.x", port: 6443 }], sandboxImage: "mirror/pause:9" });

async function rotatedSpec() {
    const spec = await nodeSpec({ role: "controlPlane" });
    const { caCertificate, caKey, etcdCaCertificate, etcdCaKey, frontProxyCaCertificate, frontProxyCaKey } = spec.keys!;
    const firstAuthorities = {
        ...{ caCertificate, caKey, etcdCaCertificate, etcdCaKey, frontProxyCaCertificate, frontProxyCaKey },
    };
    const rotated = { encryptionKeyName: "key-0123456789", serviceAccountKeyName: "kid", firstAuthorities };
    return { ...spec, keys: { ...spec.keys!, ...rotated } };
}

/** All steps, by the name of their list; its first word is the name in the sources. */
export async function stepLists(): Promise<Record<string, StepList>> {
    const nodes = [
        ...(await Promise.all(Object.values(nodeSpecs))),
        await nodeSpec({ audit: { enabled: false, policy: "" } }),
        await rotatedSpec(),
    ];
    return {
        hostSteps: listOf(hostSteps, [...Object.values(hostSpecs), moving, ...withStorage]),
        "nodeSteps init": listOf(nodeSteps("init"), nodes),
        "nodeSteps join": listOf(nodeSteps("join"), nodes),
        networkSteps: listOf(networkSteps, networkSpecs),
        addOnSteps: listOf(addOnSteps, [undefined]),
        cloudProviderSteps: listOf(cloudProviderSteps, cloudProviderSpecs),
        storageSteps: listOf(storageSteps, storageSpecs),
        etcdRestoreSteps: listOf(etcdRestoreSteps, etcdBackupSpecs),
        encryptionRotationSteps: listOf(encryptionRotationSteps, rotationStages),
        serviceAccountRotationSteps: listOf(serviceAccountRotationSteps, keyStages),
        authorityRotationSteps: listOf(authorityRotationSteps, authorityStages),
        etcdBackupSteps: listOf(etcdBackupSteps, etcdBackupSpecs),
        storageBackupSteps: listOf(storageBackupSteps, storageSpecs),
        operationEndSteps: listOf(operationEndSteps, [operationEndSpec, { ...operationEndSpec, timeoutSeconds: 60 }]),
    };
}
