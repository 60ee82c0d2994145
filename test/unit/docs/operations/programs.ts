import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { KubernetesCluster } from "../../../../components";
import type { KubernetesClusterArgs } from "../../../../components/args/args";
import type { BackEnd } from "../../../../dev/operations/rows";
import { cloudArgs } from "../../components/infrastructure/openstack/sample-cloud-args";
import { type Registered, record } from "../../components/recorder";
import { clusterArgs, sampleKey } from "../../components/sample-args";

/** Changes of a program that has all parts of a cluster. */
export interface Change extends Partial<KubernetesClusterArgs> {
    nodes?: { controlPlane: number; workers: number };
    version?: string;
    /** Of a machine of `hosts`, by its name. */
    address?: Readonly<Record<string, string>>;
    /** What OperationStart finds out in the run. */
    start?: Record<string, unknown>;
}

const backup = { repository: { folder: "/mnt/backup" }, password: "p" };
const cloudProvider = { cloudControllerManager: {}, cinderCsi: {}, authUrl: "https://keystone/v3", region: "one" };
const storage = {
    exports: { "/exports/data": { volume: "data" } },
    persistentVolumes: { shared: { path: "/exports/data", capacityGiB: 1 } },
    storageClasses: { fast: { export: "/exports/data" } },
    snapshotClasses: { snap: {} },
    backups: { nightly: backup },
};
const onMachine = {
    ...storage,
    server: { address: "10.99.0.200", ssh: { privateKey: sampleKey } },
    volumes: { data: { disk: "/dev/disk/by-id/virtio-data" } },
};
const inCloud = {
    ...storage,
    server: { flavor: "small" },
    volumes: { data: { sizeGiB: 1 } },
    snapshots: { nightly: { volume: "data", run: "one" } },
};

/** Bundles whose images go to a registry, and a hook. */
export class Programs {
    private readonly folder = mkdtempSync(join(tmpdir(), "nfv-bundle-"));
    private readonly recorded = new Map<string, Promise<Registered[]>>();

    constructor() {
        writeFileSync(join(this.folder, "hook.sh"), "#!/bin/sh\n", { mode: 0o755 });
    }

    end(): void {
        rmSync(this.folder, { recursive: true });
    }

    /** The resources that the program registers, without its components. */
    of(on: BackEnd, change: Change = {}): Promise<Registered[]> {
        const key = JSON.stringify([on, change]);
        const found = this.recorded.get(key) ?? this.record(on, change);
        this.recorded.set(key, found);
        return found;
    }

    private async record(on: BackEnd, { start, ...change }: Change): Promise<Registered[]> {
        const args = this.args(on, change);
        const { resources } = await record("up", () => new KubernetesCluster("core", args), answers(start));
        return resources.filter(({ type }) => !type.startsWith("pulumi-nfv:index:"));
    }

    private bundle(version: string) {
        const path = join(this.folder, version);
        mkdirSync(path, { recursive: true });
        const roles = ["controlPlane", "worker"];
        const common = { sha256: version.replaceAll(".", "").padEnd(64, "0"), sizeBytes: 1, roles };
        const files = [
            { path: "images/p.tar", kind: "image", ...common, image: "registry.k8s.io/pause:3.10.1" },
            ...["kubelet", "kubeadm", "kubectl"].map(name => ({ path: `bin/${name}`, kind: "binary", ...common })),
        ];
        const manifest = { apiVersion: "pulumi-nfv/v1", kubernetes: version, arch: "amd64", files };
        writeFileSync(join(path, "manifest.json"), JSON.stringify(manifest));
        return { path, registry: "site:5000" };
    }

    private args(on: BackEnd, all: Omit<Change, "start">): KubernetesClusterArgs {
        const { nodes = { controlPlane: 3, workers: 2 }, version = "1.36.3", address = {}, ...change } = all;
        const { controlPlane, workers } = nodes;
        const common = {
            kubernetes: { version, source: { bundle: this.bundle(version) } },
            registries: { "site:5000": { endpoints: ["https://site:5000"], username: "u", password: "canary" } },
            etcdBackup: backup,
            hooks: [{ name: "say", script: join(this.folder, "hook.sh"), events: ["scaleEnd" as const] }],
        };
        if (on === "hosts") {
            const args = clusterArgs(controlPlane, { workers }, { ...common, storage: onMachine, ...change });
            const { hosts } = args.infrastructure as { hosts: { controlPlane: Record<string, { address: string }> } };
            for (const [name, other] of Object.entries(address)) hosts.controlPlane[name] = { address: other };
            return args;
        }
        const args = cloudArgs(
            { access: { jumpServer: { flavor: "small" } } },
            {
                ...{ ...common, cloudProvider, storage: inCloud, controlPlane: { count: controlPlane } },
                pools: { workers: { count: workers, server: { volumes: { data: { sizeGiB: 1 } } } } },
                ...change,
            },
        );
        return on === "nova" ? args : { ...args, infrastructure: { heat: args.infrastructure.nova! } };
    }
}

/** Each place of an output has an address of its own. */
const addresses = new Map<string, string>();
function addressOf(key: string): string {
    const found = addresses.get(key) ?? `10.100.0.${addresses.size + 10}`;
    addresses.set(key, found);
    return found;
}

const answers = (start: object = {}) => ({
    call: () => ({ id: "id", name: "public", cidr: "192.168.0.0/20" }),
    outputs: (type: string, name: string, inputs: Record<string, unknown>) => ({
        ...(type.endsWith(":Port") && { allFixedIps: [addressOf(name)] }),
        ...(type.endsWith(":FloatingIp") && { address: addressOf(`${name} floating`) }),
        ...(type.endsWith(":OwnerMark") && { mark: "mark" }),
        ...(type.endsWith(":ServerKeys") && { seed: "c2VlZA==", publicKey: "ssh-ed25519 AAAA", privateKey: "key" }),
        ...(type.endsWith(":OperationStart") && { generations: {}, ...start }),
        ...(type.endsWith(":ApplicationCredential") && { secret: "made" }),
        ...(type.endsWith(":StackV1") && { StackOutputs: stackOutputs(inputs) }),
    }),
});

function stackOutputs({ templateOpts }: Record<string, unknown>) {
    const { outputs } = parse((templateOpts as { Bin: string }).Bin) as { outputs: object };
    return Object.keys(outputs).map(outputKey => ({ outputKey, outputValue: addressOf(outputKey) }));
}
