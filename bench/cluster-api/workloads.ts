import { asManifest, labWorkload } from "../../dev/lab-workload";
import { substitute } from "../../provider/cluster-api/variables";
import type { WorkloadAccess } from "../../provider/cluster-api/workload-kubeconfig";
import type { StoredResource } from "../preview/state";

/** The network function of both sides, in a namespace "web" that it does not name. */
export const webFunction = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: {
        selector: { matchLabels: { app: "web" } },
        template: {
            metadata: { labels: { app: "web" } },
            spec: {
                containers: [
                    {
                        name: "web",
                        image: "pulumi-nfv.invalid/tools:1",
                        command: ["httpd", "-f", "-p", "8080", "-h", "/"],
                        readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
                    },
                ],
            },
        },
    },
};

/** Without the health check: on a slow machine it would replace nodes that take long to become Ready. */
function objectsOf(name: string, paused = false): object[] {
    return labWorkload(name, { paused }).filter(each => (each as { kind: string }).kind !== "MachineHealthCheck");
}

/** Arguments of a WorkloadCluster with its network function, as programs/workload-clusters.js reads them. */
export function withFunction(name: string, workers: number) {
    return {
        manifests: [asManifest(objectsOf(name))],
        variables: { WORKERS: `${workers}` },
        timeoutSeconds: 900,
        cnf: { objects: [webFunction], namespace: "web", timeoutSeconds: 300 },
    };
}

/** The same objects as a file for kubectl. */
export function fileOf(name: string, workers: number): string {
    return substitute(asManifest(objectsOf(name)), { WORKERS: `${workers}` }, name);
}

/** A paused cluster without machines. Its account has a name of its own, because all of these clusters have the same API. */
export function pausedWorkload(name: string) {
    return {
        manifests: [asManifest(objectsOf(name, true))],
        variables: { WORKERS: "1" },
        paused: true,
        serviceAccount: { name: `nfv-${name}`, namespaces: [name] },
    };
}

/** The Secret that Cluster API would make for a cluster. */
export function accessSecret(name: string, kubeconfig: string): object {
    return {
        apiVersion: "v1",
        kind: "Secret",
        metadata: {
            name: `${name}-kubeconfig`,
            namespace: "default",
            labels: { "cluster.x-k8s.io/cluster-name": name },
        },
        type: "cluster.x-k8s.io/secret",
        data: { value: Buffer.from(kubeconfig).toString("base64") },
    };
}

/** Arguments of the Vim of the management cluster. */
export function vimOf({ endpoint, caCertificate, clientCertificate, clientKey }: WorkloadAccess) {
    return { endpoint, caCertificate, auth: { clientCertificate, clientKey } };
}

/** Resources by who acts for them; components and providers do nothing in a preview, so they are not counted. */
export function countsOf(resources: readonly StoredResource[]): { ours: number; kubernetes: number } {
    const count = (start: string) => resources.filter(({ type }) => type.startsWith(start)).length;
    return { ours: count("pulumi-nodejs:dynamic"), kubernetes: count("kubernetes:") };
}
