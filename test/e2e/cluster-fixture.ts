import { type ChildProcess, spawn } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { projectRoot } from "../../dev/levels";
import { PulumiProject } from "../../dev/pulumi-project";
import { Lab } from "../../lab";
import type { ImageName, SystemName } from "../../lab/images";
import { labKubelet, labKubeProxy } from "../../lab/node-settings";
import { ensureBundle } from "../../tools/bundle";
import type { AddOnName } from "../../tools/oci/add-on-images";
import { pulumiEnvironment } from "../../tools/pulumi-environment";
import { versions } from "../../tools/versions";

export { eventually } from "../support/eventually";

export const vip = "10.99.0.100";
export const canaries = {
    registryPassword: "canary-registry-5f1d0c",
    /** No download uses it: the golden image has everything, and the cluster's own addresses are excluded. */
    proxy: "http://nfv:canary-proxy-80b2e7@10.99.0.250:3128",
};

/** A lab with its stack, as an operator uses it. */
export interface Fixture {
    lab: Lab;
    project: PulumiProject;
    folder: string;
    bundle: string;
    kubectl(...args: string[]): Promise<string>;
    /** A kubectl that keeps running, after `kubectl` was called once; the caller kills it. */
    start(...args: string[]): ChildProcess;
    close(): Promise<void>;
}

export interface FixtureOptions {
    name: string;
    nodes: string[];
    image?: ImageName;
    plugins?: ("kubernetes" | "command" | "openstack")[];
    /** Sizes in bytes of the disks of nodes. */
    volumes?: Record<string, readonly number[]>;
    /** Nodes can serve and mount NFS. */
    nfs?: boolean;
    /** Images of add-ons that nodes have besides. */
    addOns?: readonly AddOnName[];
    /** Programs of the first version, container images of all. @default the pinned one */
    kubernetes?: readonly string[];
    /** @default the machine's own */
    system?: SystemName;
}

export async function openFixture({
    name,
    nodes,
    image = "kubernetes",
    plugins = ["kubernetes"],
    volumes,
    nfs,
    addOns,
    kubernetes,
    system,
}: FixtureOptions): Promise<Fixture> {
    const say = (text: string) => console.log(`      ${text}`);
    await Lab.remove(name);
    const environment = await pulumiEnvironment({ plugins, onProgress: say });
    const bundle = await ensureBundle({ onProgress: say, ...(addOns && { addOns }) });
    const lab = await Lab.up({ name, nodes, image, report: say, volumes, nfs, addOns, kubernetes, system });
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "nfv-e2e-"));
    const project = await PulumiProject.open({
        folder: path.join(projectRoot, "test", "e2e", "program"),
        pulumi: environment.pulumi,
        env: environment.env,
        state: path.join(folder, "state"),
        stack: name,
        enter: argv => lab.enter(argv),
        quietMinutes: 10,
    });
    const kubeconfig = path.join(folder, "kubeconfig");
    const kubectl = [path.join(bundle, "bin", "kubectl"), "--kubeconfig", kubeconfig];
    return {
        lab,
        project,
        folder,
        bundle,
        kubectl: async (...args) => {
            if (!fs.existsSync(kubeconfig)) {
                fs.writeFileSync(kubeconfig, await project.output("kubeconfig"), { mode: 0o600 });
            }
            return command(lab.enter([...kubectl, ...args]));
        },
        start: (...args) => {
            const [program, ...rest] = lab.enter([...kubectl, ...args]);
            return spawn(program!, rest, { stdio: ["ignore", "pipe", "inherit"] });
        },
        close: async () => {
            await lab.down();
            // The stack's configuration file is beside the program, as in every project.
            fs.rmSync(path.join(projectRoot, "test", "e2e", "program", `Pulumi.${name}.yaml`), { force: true });
            fs.rmSync(folder, { recursive: true, force: true });
        },
    };
}

/** Standard output of a command; an exit code other than 0 is thrown as an error with all of its output. */
export function command(argv: string[]): Promise<string> {
    return new Promise((resolve, reject) => {
        const child = spawn(argv[0]!, argv.slice(1), { stdio: ["ignore", "pipe", "pipe"] });
        const said = { stdout: "", stderr: "" };
        child.stdout.on("data", data => (said.stdout += data));
        child.stderr.on("data", data => (said.stderr += data));
        child.on("error", reject);
        child.on("close", code =>
            code === 0
                ? resolve(said.stdout)
                : reject(new Error(`${argv.join(" ")} ended with ${code}:\n${said.stdout}${said.stderr}`)),
        );
    });
}

export interface ClusterShape {
    masters: string[];
    workers: string[];
    labels?: Record<string, Record<string, string>>;
    /** @default the pinned one */
    kubernetes?: string;
}

/** A node of a lab as `infrastructure.hosts` has it. */
export function machineOf(lab: Lab, name: string): object {
    const { address, hostKey } = lab.node(name);
    return { address, ssh: { hostKey } };
}

/** Arguments of KubernetesCluster for nodes of a lab. */
export function clusterArguments(
    lab: Lab,
    { masters, workers, kubernetes = versions.kubernetes }: ClusterShape,
): Record<string, unknown> {
    const machine = (name: string) => [name, machineOf(lab, name)];
    return {
        infrastructure: {
            hosts: {
                ssh: { user: "debian" },
                controlPlane: Object.fromEntries(masters.map(machine)),
                ...(workers.length > 0 && { pools: { workers: Object.fromEntries(workers.map(machine)) } }),
            },
        },
        kubernetes: { version: kubernetes },
        controlPlane: { endpoint: { vip: { address: vip } } },
        ...(workers.length > 0 && { pools: { workers: { labels: { tier: "packet-core" } } } }),
        kubelet: labKubelet,
        kubeProxy: labKubeProxy,
        // A mirror that no image is pulled from: it brings a password to every place where secrets could leak.
        registries: { "registry.example": { endpoints: ["https://10.99.0.250:5000"], username: "nfv" } },
    };
}

/** A web server on every chosen worker, at most one on each. */
export const webObjects = [
    {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "web" },
        spec: {
            replicas: 1,
            selector: { matchLabels: { app: "web" } },
            template: {
                metadata: { labels: { app: "web" } },
                spec: {
                    terminationGracePeriodSeconds: 1,
                    affinity: {
                        podAntiAffinity: {
                            requiredDuringSchedulingIgnoredDuringExecution: [
                                {
                                    topologyKey: "kubernetes.io/hostname",
                                    labelSelector: { matchLabels: { app: "web" } },
                                },
                            ],
                        },
                    },
                    containers: [
                        {
                            name: "web",
                            image: "pulumi-nfv.invalid/tools:1",
                            command: [
                                "sh",
                                "-c",
                                'echo "web on $NODE" >/www/index.html; exec httpd -f -p 8080 -h /www',
                            ],
                            env: [{ name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } }],
                            readinessProbe: { httpGet: { path: "/", port: 8080 }, periodSeconds: 1 },
                        },
                    ],
                },
            },
        },
    },
    {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "web" },
        spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: 8080 }] },
    },
];

/** Two replicas on any nodes. */
export const guardedDeployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "guarded" },
    spec: {
        replicas: 2,
        selector: { matchLabels: { app: "guarded" } },
        template: {
            metadata: { labels: { app: "guarded" } },
            spec: {
                terminationGracePeriodSeconds: 1,
                containers: [
                    {
                        name: "guarded",
                        image: "pulumi-nfv.invalid/tools:1",
                        command: ["httpd", "-f", "-p", "8080", "-h", "/"],
                        readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
                    },
                ],
            },
        },
    },
};

export const guardedBudget = (minAvailable: number) => ({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "guarded" },
    spec: { minAvailable, selector: { matchLabels: { app: "guarded" } } },
});
