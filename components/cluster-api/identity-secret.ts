import * as pulumi from "@pulumi/pulumi";
import type { Named } from "./machine-template";
import type { WorkloadSpec } from "./workload-spec";

/** The Secret with which CAPO logs in to the cloud; none where the user has made it. CAPO reads it again for each request. */
export function identitySecret({ namespace, openstack, identity }: WorkloadSpec): Named[] {
    const { cloudsYaml, caCertificate } = openstack.identity;
    if (cloudsYaml === undefined) return [];
    return [
        {
            apiVersion: "v1",
            kind: "Secret",
            // clusterctl takes it along when it moves the cluster.
            metadata: { name: identity.secretName, namespace, labels: { "clusterctl.cluster.x-k8s.io/move": "true" } },
            stringData: {
                "clouds.yaml": pulumi.secret(cloudsYaml),
                ...(caCertificate !== undefined && { cacert: caCertificate }),
            },
        },
    ];
}
