import * as pulumi from "@pulumi/pulumi";
import { certificateText } from "../common/certificate-files";
import { type Named, openStackGroup } from "./machine-template";
import type { WorkloadSpec } from "./workload-spec";

/** clusterctl takes it along when it moves the cluster. */
const labels = { "clusterctl.cluster.x-k8s.io/move": "true" };

/**
 * The objects with which CAPO logs in to the cloud; none where others have made them. CAPO reads them again for each request, so another login
 * replaces no machine. `cloudsYaml`: undefined where there is nothing to make.
 */
export function identityObjects(
    { namespace, openstack, identity }: WorkloadSpec,
    cloudsYaml: pulumi.Input<string> | undefined,
): Named[] {
    if (cloudsYaml === undefined) return [];
    const { caCertificate, clusterIdentity, namespaceSelector } = openstack.identity;
    const { secretName } = identity;
    const secret: Named = {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: secretName, namespace, labels },
        stringData: {
            "clouds.yaml": pulumi.secret(cloudsYaml),
            ...(caCertificate !== undefined && {
                cacert: certificateText(caCertificate, "openstack.identity.caCertificate"),
            }),
        },
    };
    if (clusterIdentity === undefined) return [secret];
    const matchLabels = namespaceSelector ?? { "kubernetes.io/metadata.name": namespace };
    const shared = {
        apiVersion: `${openStackGroup}/v1alpha1`,
        kind: "OpenStackClusterIdentity",
        metadata: { name: clusterIdentity, labels },
        spec: { secretRef: { name: secretName, namespace }, namespaceSelector: { matchLabels } },
    };
    // Its kind has no namespaces.
    return [secret, shared as unknown as Named];
}
