import * as pulumi from "@pulumi/pulumi";
import { renderKubeconfig } from "../../provider/identity";
import type { KubernetesClusterArgs } from "../args/args";
import { Vim } from "../vim/vim";
import type { Cluster } from "./cluster-parts";

export interface ClusterAccess {
    /** Secret. */
    kubeconfig: pulumi.Output<string>;
    vim: Vim;
}

/** URL of the API, known before the first node exists. */
export function endpointOf({ plan }: Cluster, apiHost: pulumi.Input<string> | undefined): pulumi.Output<string> {
    const host = apiHost ?? plan.endpoint.hostsEntry?.address ?? plan.endpoint.host;
    return pulumi.interpolate`https://${host}:${plan.endpoint.port}`;
}

/** Administrator access, known before the first node exists. */
export function administratorAccess({ identity }: Cluster, endpoint: pulumi.Input<string>) {
    const { caCertificate, adminCertificate, adminKey } = identity;
    return { endpoint, caCertificate, auth: { clientCertificate: adminCertificate, clientKey: adminKey } };
}

/** What each set of objects in the cluster needs. */
export function objectsOf(cluster: Cluster, endpoint: pulumi.Input<string>) {
    const { name, unchecked } = cluster;
    const { clusterId } = cluster.identity;
    return { name, owner: clusterId, clusterId, access: administratorAccess(cluster, endpoint), ...unchecked };
}

/** Access to the cluster for users: known before the first node exists, proven when `after` is there. */
export function makeAccess(
    cluster: Cluster,
    endpoint: pulumi.Output<string>,
    given: KubernetesClusterArgs["vim"],
    after: pulumi.Resource[],
): ClusterAccess {
    const { name, clusterName, identity, goesWithCluster } = cluster;
    const { clusterId, caCertificate, adminCertificate, adminKey } = identity;
    const kubeconfig = pulumi
        .all([endpoint, caCertificate, adminCertificate, adminKey])
        .apply(([server, ca, clientCert, clientKey]) =>
            renderKubeconfig({ name: clusterName, endpoint: server, ca, clientCert, clientKey }),
        );
    const vim = new Vim(
        name,
        {
            ...administratorAccess(cluster, endpoint),
            serviceAccount: {},
            ...given,
            clusterIdentifier: clusterId,
        },
        { ...goesWithCluster, dependsOn: after },
    );
    return { kubeconfig: pulumi.secret(kubeconfig), vim };
}
