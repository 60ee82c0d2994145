import * as command from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import * as nfv from "pulumi-nfv";

const config = new pulumi.Config("nfv");

/** Hooks run in this order at each event. Their paths start from this folder, also in a later `pulumi destroy`. */
const hooks: nfv.HookArgs[] = [
    // In the provider's process: the methods of the module say when.
    { name: "inventory", module: "./hooks/inventory.ts", parameters: { licences: config.getNumber("licences") ?? 10 } },
    // On this machine.
    {
        name: "announce",
        script: "./hooks/announce.sh",
        events: ["instantiateStart", "instantiateEnd", "scaleStart", "scaleEnd", "terminateStart", "terminateEnd"],
        timeoutSeconds: 30,
        retries: 2,
    },
    // As root on the control-plane nodes: what kubeadm does not set up.
    {
        name: "certificate-report",
        script: "./hooks/certificate-report.sh",
        nodes: { role: "controlPlane" },
        events: ["instantiateEnd", "scaleStart", "scaleEnd", "healEnd", "terminateStart"],
    },
    // In the cluster.
    { name: "priorities", manifests: ["./hooks/priority-classes.yaml"], events: ["instantiateEnd"] },
];

/** Needed with several control-plane nodes. */
const vip = config.get("vip");

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
    ...(vip !== undefined && { controlPlane: { endpoint: { vip: { address: vip } } } }),
    pools: { workers: workers === undefined ? {} : { count: workers } },
    hooks,
});

/** A resource of the program that runs again after each operation, when its hooks have ended. Needs kubectl on this machine. */
const check = new command.local.Command(
    "check",
    {
        create: "kubectl --kubeconfig /dev/stdin get nodes --no-headers",
        stdin: core.kubeconfig,
        triggers: [core.operationId],
    },
    { dependsOn: [core] },
);

export const { endpoint, kubeconfig, operation, operationId } = core;
export const nodes = check.stdout;
