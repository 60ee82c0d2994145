import { workloadDefaults } from "../args/workload-defaults";
import type { WorkloadPoolArgs } from "../args/workload-inputs";
import { autoscalerRange } from "./autoscaler-range";
import { contentName } from "./content-name";
import { healthChecks } from "./health-checks";
import { machineSetUp, nodeRegistration, splitLabels } from "./kubeadm-config";
import { byNameOrId, machineTemplate, type Named, openStackVersion } from "./machine-template";
import { resourceSet, resourceSetLabel } from "./resource-set";
import { numberOrShare, type WorkloadSpec } from "./workload-spec";

/** Versions of Cluster API's kinds. A management cluster serves them from Cluster API 1.11 on. */
const core = "cluster.x-k8s.io";
const clusterApiVersion = "v1beta2";
const reference = (apiGroup: string, kind: string, name: string) => ({ apiGroup, kind, name });

/**
 * The objects of a workload cluster, but for those with the login to the cloud. Sources: Cluster API's v1beta2 types, CAPO's v1beta1 types and its
 * template without a load balancer.
 */
export function workloadObjects(cluster: WorkloadSpec): Named[] {
    const { name, namespace } = cluster;
    const controlTemplate = machineTemplate(cluster, "control-plane", cluster.controlPlane);
    return [
        ...resourceSet(cluster),
        openStackCluster(cluster),
        controlTemplate,
        controlPlane(cluster, controlTemplate.metadata.name),
        ...Object.entries(cluster.pools).flatMap(([pool, args]) => poolObjects(cluster, pool, args)),
        ...healthChecks(cluster),
        {
            apiVersion: `${core}/${clusterApiVersion}`,
            kind: "Cluster",
            metadata: { name, namespace, labels: { [resourceSetLabel]: name } },
            spec: {
                ...(cluster.paused && { paused: true }),
                clusterNetwork: {
                    pods: { cidrBlocks: [cluster.network.podCidr] },
                    services: { cidrBlocks: [cluster.network.serviceCidr] },
                    serviceDomain: cluster.network.dnsDomain,
                },
                controlPlaneRef: reference(`controlplane.${core}`, "KubeadmControlPlane", `${name}-control-plane`),
                infrastructureRef: reference(`infrastructure.${core}`, "OpenStackCluster", name),
            },
        },
    ];
}

function openStackCluster({ name, namespace, openstack, identity, controlPlane: { replicas } }: WorkloadSpec): Named {
    const { apiEndpoint, apiAccess, network, subnets, dnsNameservers, externalNetwork } = openstack;
    const [, host, port] = /^\[?(.*?)\]?:(\d+)$/.exec(apiEndpoint ?? "") ?? [];
    const nodeCidr = openstack.nodeCidr ?? workloadDefaults.nodeCidr;
    return {
        apiVersion: openStackVersion,
        kind: "OpenStackCluster",
        metadata: { name, namespace },
        spec: {
            identityRef: identityReference(identity),
            ...(externalNetwork !== undefined && { externalNetwork: byNameOrId(externalNetwork) }),
            ...(network === undefined
                ? { managedSubnets: [{ cidr: nodeCidr, ...(dnsNameservers && { dnsNameservers }) }] }
                : { network: byNameOrId(network), ...(subnets && { subnets: subnets.map(byNameOrId) }) }),
            managedSecurityGroups: { allowAllInClusterTraffic: true },
            ...(apiAccess === "octavia" && { apiServerLoadBalancer: { enabled: true } }),
            // CAPO gives the floating IP to the first machine and never moves it.
            ...((apiAccess === "none" || apiEndpoint !== undefined || (apiAccess !== "octavia" && replicas > 1)) && {
                disableAPIServerFloatingIP: true,
            }),
            ...(host !== undefined && { controlPlaneEndpoint: { host, port: Number(port) } }),
            ...(openstack.availabilityZones && { controlPlaneAvailabilityZones: openstack.availabilityZones }),
            ...(openstack.tags && { tags: openstack.tags }),
        },
    };
}

/** A Secret is the default: older versions of CAPO know no type. */
function identityReference({ secretName, cloudName, clusterIdentity, region }: WorkloadSpec["identity"]): object {
    return {
        ...(clusterIdentity === undefined ? { name: secretName } : { type: "ClusterIdentity", name: clusterIdentity }),
        cloudName,
        ...(region !== undefined && { region }),
    };
}

function controlPlane(
    { name, namespace, version, controlPlane: { replicas }, kubeadm, network }: WorkloadSpec,
    template: string,
): Named {
    const node = { nodeRegistration: nodeRegistration(kubeadm) };
    return {
        apiVersion: `controlplane.${core}/${clusterApiVersion}`,
        kind: "KubeadmControlPlane",
        metadata: { name: `${name}-control-plane`, namespace },
        spec: {
            replicas,
            version,
            machineTemplate: {
                spec: {
                    infrastructureRef: reference(`infrastructure.${core}`, "OpenStackMachineTemplate", template),
                    deletion: deletion(),
                },
            },
            kubeadmConfigSpec: {
                ...(kubeadm.clusterConfiguration && { clusterConfiguration: kubeadm.clusterConfiguration }),
                initConfiguration: node,
                joinConfiguration: node,
                ...machineSetUp(kubeadm, network.podsReachMetadata),
            },
        },
    };
}

function poolObjects(cluster: WorkloadSpec, pool: string, args: WorkloadPoolArgs): Named[] {
    const { name, namespace, version, kubeadm, network } = cluster;
    const servers = machineTemplate(cluster, pool, args);
    const join = {
        joinConfiguration: { nodeRegistration: nodeRegistration(kubeadm, args) },
        ...machineSetUp(kubeadm, network.podsReachMetadata),
    };
    const config: Named = {
        apiVersion: `bootstrap.${core}/${clusterApiVersion}`,
        kind: "KubeadmConfigTemplate",
        metadata: { name: contentName(`${name}-${pool}`, join), namespace },
        spec: { template: { spec: join } },
    };
    const { replicas = 1, autoscale, availabilityZone, maxUnavailable = 0, drainTimeoutSeconds } = args;
    const labels = splitLabels(args.labels).ofMachines;
    return [
        servers,
        config,
        {
            apiVersion: `${core}/${clusterApiVersion}`,
            kind: "MachineDeployment",
            metadata: {
                name: `${name}-${pool}`,
                namespace,
                ...(autoscale && { annotations: autoscalerRange(autoscale) }),
            },
            spec: {
                clusterName: name,
                // Who leaves a field out does not own it: the autoscaler sets it.
                ...(autoscale === undefined && { replicas }),
                rollout: {
                    strategy: {
                        type: "RollingUpdate",
                        rollingUpdate: {
                            maxSurge: isNone(maxUnavailable) ? 1 : 0,
                            maxUnavailable: numberOrShare(maxUnavailable),
                        },
                    },
                },
                template: {
                    ...(Object.keys(labels).length > 0 && { metadata: { labels } }),
                    spec: {
                        clusterName: name,
                        version,
                        bootstrap: {
                            configRef: reference(`bootstrap.${core}`, "KubeadmConfigTemplate", config.metadata.name),
                        },
                        infrastructureRef: reference(
                            `infrastructure.${core}`,
                            "OpenStackMachineTemplate",
                            servers.metadata.name,
                        ),
                        ...(availabilityZone !== undefined && { failureDomain: availabilityZone }),
                        deletion: deletion(drainTimeoutSeconds),
                    },
                },
            },
        },
    ];
}

/**
 * Cluster API removes the Node of a machine after its server, and by default gives up 10 seconds after the deletion began: a Node stays for ever when the
 * API does not answer at that moment, for example because its address moves to the next control-plane machine.
 */
const nodeDeletionTimeoutSeconds = 300;

const deletion = (nodeDrainTimeoutSeconds?: number) => ({
    nodeDeletionTimeoutSeconds,
    ...(nodeDrainTimeoutSeconds !== undefined && { nodeDrainTimeoutSeconds }),
});

const isNone = (given: number | string) => /^0%?$/.test(`${given}`);
