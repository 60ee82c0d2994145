import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KubernetesCluster } from "../../../../components";
import type { KubernetesClusterArgs } from "../../../../components/args/args";
import type { BackEnd } from "../../../../provider/phases/phase";
import { projectRoot } from "../../../support/user-project";
import { cloudArgs } from "../../components/infrastructure/openstack/sample-cloud-args";
import { type Registered, record } from "../../components/recorder";
import { clusterArgs, sampleKey } from "../../components/sample-args";

/** A program's resources without its components, and whom each waits for, directly and indirectly. */
export interface Recorded {
    name: string;
    backEnd: BackEnd;
    resources: Registered[];
    waitsFor(one: Registered, other: Registered): boolean;
    /** The node that a resource belongs to. */
    machineOf(one: Registered): string | undefined;
}

const cloudProvider = { cloudControllerManager: {}, cinderCsi: {}, authUrl: "https://keystone/v3", region: "one" };

const answers = {
    call: () => ({ id: "id", name: "public", cidr: "192.168.0.0/20" }),
    outputs: (type: string) => ({
        ...(type.endsWith(":Port") && { allFixedIps: ["10.100.0.7"] }),
        ...(type.endsWith(":FloatingIp") && { address: "203.0.113.7" }),
        ...(type.endsWith(":OwnerMark") && { mark: "mark" }),
        ...(type.endsWith(":ServerKeys") && { seed: "c2VlZA==", publicKey: "ssh-ed25519 AAAA", privateKey: "key" }),
        ...(type.endsWith(":OperationStart") && { generations: {} }),
        ...(type.endsWith(":ApplicationCredential") && { secret: "made" }),
    }),
};

/** A bundle whose images go to a registry, and a hook. */
function bundle(): { path: string; registry: string } {
    const path = mkdtempSync(join(tmpdir(), "nfv-bundle-"));
    const file = { path: "images/p.tar", kind: "image", sha256: "a".repeat(64), sizeBytes: 1, roles: ["worker"] };
    const files = [{ ...file, image: "registry.k8s.io/pause:3.10.1" }];
    writeFileSync(
        join(path, "manifest.json"),
        JSON.stringify({ apiVersion: "pulumi-nfv/v1", kubernetes: "1.34.4", arch: "amd64", files }),
    );
    writeFileSync(join(path, "hook.sh"), "#!/bin/sh\n", { mode: 0o755 });
    return { path, registry: "site:5000" };
}

function programs(
    source: KubernetesClusterArgs["kubernetes"]["source"],
): Record<string, [BackEnd, KubernetesClusterArgs]> {
    const kubernetes = { version: "1.34.4", ...(source && { source }) };
    const registries = { "site:5000": { endpoints: ["https://site:5000"], username: "u", password: "canary" } };
    const storage = {
        server: { address: "10.99.0.200", ssh: { privateKey: sampleKey } },
        volumes: { data: { disk: "/dev/disk/by-id/virtio-data" } },
        exports: { "/exports/data": { volume: "data" } },
        persistentVolumes: { shared: { path: "/exports/data", capacityGiB: 1 } },
        storageClasses: { fast: { export: "/exports/data" } },
        snapshotClasses: { snap: {} },
        backups: { nightly: { repository: { folder: "/mnt/backup" }, password: "p" } },
    };
    const etcdBackup = { repository: { folder: "/mnt/backup" }, password: "p" };
    const etcdRestore = { run: "one" };
    const rotate = { encryptionKey: "one", serviceAccountKey: "one", authorities: "one" };
    const os = { upgrade: "one" };
    const common = { os, kubernetes, registries, cloudProvider, storage, etcdBackup, etcdRestore };
    const more = { ...common, rotate: { ...rotate, loginKey: "one" } };
    const server = { volumes: { data: { sizeGiB: 1 } } };
    const pools = { workers: { count: 2, server } };
    const access = { jumpServer: { flavor: "small" } };
    const { infrastructure, ...others } = cloudArgs({ access }, { ...more, pools });
    const inCloud = {
        ...storage,
        server: { flavor: "small" },
        volumes: { data: { sizeGiB: 1 } },
        snapshots: { nightly: { volume: "data", run: "one" } },
    };
    const hooks = [{ name: "say", script: join(source!.bundle!.path, "hook.sh"), events: ["scaleEnd"] }];
    const file = join(projectRoot, "test/unit/components/infrastructure/openstack/hot/fixtures/own-lists/cluster.yaml");
    const template = { file, parameters: { image: "debian", network: "net0" } };
    // Without a virtual address
    const single = { controlPlane: { count: 1, endpoint: { external: { host: "api.example.org" } } }, pools: {} };
    return {
        hosts: [
            "hosts",
            clusterArgs(3, { a: 2 }, { kubernetes, registries, storage, etcdBackup, etcdRestore, rotate, os }),
        ],
        nova: ["nova", { ...others, infrastructure }],
        heat: ["heat", { ...others, infrastructure: { heat: infrastructure.nova! } }],
        "hosts, with hooks": ["hosts", clusterArgs(3, { a: 2 }, { kubernetes, registries, storage, hooks })],
        "nova, with hooks": ["nova", { ...others, infrastructure, hooks }],
        "heat, with hooks": ["heat", { ...others, infrastructure: { heat: infrastructure.nova! }, hooks }],
        "nova, storage in the cloud": ["nova", { ...others, infrastructure, storage: inCloud }],
        "heat, storage in the cloud": [
            "heat",
            { ...others, infrastructure: { heat: infrastructure.nova! }, storage: inCloud },
        ],
        "nova, one node": ["nova", { ...others, infrastructure, ...single }],
        "heat, one node": ["heat", { ...others, infrastructure: { heat: infrastructure.nova! }, ...single }],
        "heat, with a template of the user": [
            "heat",
            { ...others, rotate, infrastructure: { heat: { template } }, pools: { "edge-workers": { count: 2 } } },
        ],
        "heat, with a template of the user and storage in the cloud": [
            "heat",
            {
                ...others,
                rotate,
                infrastructure: { heat: { template } },
                pools: { "edge-workers": { count: 2 } },
                storage: inCloud,
            },
        ],
    };
}

/** The resources that real programs register, with each back end. */
export async function recordPrograms(): Promise<Recorded[]> {
    const source = bundle();
    try {
        const found: Recorded[] = [];
        for (const [name, [backEnd, args]] of Object.entries(programs({ bundle: source }))) {
            // Heat's outputs are unknown in a preview, so the program need not answer for the stack.
            const mode = backEnd === "heat" ? "preview" : "up";
            const { resources } = await record(mode, () => new KubernetesCluster("core", args), answers);
            found.push({ name, backEnd, ...graph(resources) });
        }
        return found;
    } finally {
        rmSync(source.path, { recursive: true });
    }
}

function graph(all: Registered[]): Pick<Recorded, "resources" | "waitsFor" | "machineOf"> {
    const resources = all.filter(({ type }) => !type.startsWith("pulumi-nfv:index:"));
    const byLabel = new Map(resources.map(each => [each.label, each]));
    const cache = new Map<Registered, Set<Registered>>();
    const behind = (one: Registered): Set<Registered> => {
        const known = cache.get(one);
        if (known) return known;
        const found = new Set<Registered>();
        cache.set(one, found);
        for (const label of one.after) {
            const other = byLabel.get(label);
            if (other === undefined) continue;
            found.add(other);
            for (const further of behind(other)) found.add(further);
        }
        return found;
    };
    const names = resources.filter(({ label }) => label.startsWith("Host ")).map(({ label }) => label.split(" ")[1]!);
    const machines = new Map(
        resources.map(each => {
            const name = each.label.split(" ")[1]!;
            return [each, names.find(host => name === host || name.startsWith(`${host}-`))];
        }),
    );
    return {
        resources,
        waitsFor: (one, other) => behind(one).has(other),
        machineOf: one => machines.get(one),
    };
}
