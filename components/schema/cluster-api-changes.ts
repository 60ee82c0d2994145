import type { Row } from "./effects";

export const managementCluster: Row[] = [
    ["again", "vim", "on another cluster; refused while the former one has workload clusters"],
    [
        "step",
        "bundle providers",
        "providers are installed, upgraded in place, or removed where none of their objects is left; their definitions stay",
    ],
    [
        "step",
        "providers.NAME.{version,components,variables,featureGates,flags,image}",
        "in place, one provider after the other; machines of workload clusters notice nothing",
    ],
    ["step", "providers.NAME.{replicas,requests,limits}", "other pods of that controller"],
    ["step", "imageRepository"],
    ["nothing", "timeoutSeconds"],
];

const machines = [
    "flavor",
    "image",
    "rootVolume.{sizeGiB,type,availabilityZone}",
    "securityGroups",
    "serverGroup",
    "machineSpec",
];
const under = (place: string, names: string[]) => names.map(name => `${place}.${name}`).join(" ");

export const workloadCluster: Row[] = [
    ["again", "management managementVim", "on another management cluster"],
    ["again", "clusterName namespace", "the former cluster and all that runs on it are removed first"],
    [
        "machines",
        "version",
        "the control plane first, then the pools; an older one, or the minor version after the next, is refused",
    ],
    ["nothing", "allowUnsupportedVersion", "used with the next change of `version`"],
    [
        "refused",
        "openstack.{nodeCidr,network,subnets,externalNetwork}",
        "by Cluster API: the network of a cluster stays",
    ],
    ["refused", "openstack.{apiAccess,apiEndpoint}", "by Cluster API: the address of a cluster stays"],
    [
        "nothing",
        "openstack.identity.{cloudsYaml,caCertificate,secretName,clusterIdentity,namespaceSelector,cloudName}",
        "the next request to the cloud uses it. A login that the program makes and machines refer to cannot go",
    ],
    [
        "nothing",
        "openstack.identity.applicationCredential.{roles,rotate,accessRules} openstack.identity.applicationCredential.accessRules[].{service,method,path}",
        "another credential is made and used by the next request; the former one is deleted after that",
    ],
    ["nothing", "openstack.identity.applicationCredential.authUrl", "the next request to the cloud uses it"],
    ["refused", "openstack.identity.region", "by Cluster API: the region of a cluster stays"],
    ["cloud", "openstack.dnsNameservers"],
    ["refused", "openstack.tags", "by Cluster API: the tags of a cluster stay"],
    ["machines", "openstack.sshKeyName"],
    ["step", "openstack.availabilityZones", "new machines of the control plane go there"],
    ["machines", under("controlPlane", machines)],
    ["step", "controlPlane.replicas", "machines join or leave one after another"],
    ["step", "pools", "its machines are made, or drained and removed"],
    [
        "machines",
        under("pools.NAME", [
            ...machines.filter(name => !name.startsWith("rootVolume")),
            "availabilityZone",
            "taints[].{key,value,effect}",
        ]),
    ],
    ["machines", "pools.NAME.labels", "those that Cluster API keeps change in place"],
    ["step", "pools.NAME.replicas", "machines join, or are drained and removed"],
    ["nothing", "pools.NAME.autoscale.{min,max}", "the autoscaler follows"],
    ["nothing", "pools.NAME.{maxUnavailable,drainTimeoutSeconds}"],
    ["refused", "network.{podCidr,serviceCidr,dnsDomain}", "as soon as there are machines: they would lose each other"],
    ["refused", "network.cni", "as soon as there are machines: the objects of the former pod network would stay"],
    [
        "step",
        "network.{cniManifests,image,kubectlPath} addOns tenants.{externalIps,nfsServers,controlPlaneNodes}",
        "new manifests are applied in the cluster; objects that are in none of them any more stay",
    ],
    [
        "machines",
        "network.podsReachMetadata kubeadm.{preCommands,postCommands,files,kubeletArgs,clusterConfiguration,externalCloudProvider}",
        "all machines",
    ],
    ["nothing", "healthCheck.{notReadySeconds,startupSeconds,maxUnhealthy,controlPlane}"],
    [
        "step",
        "manifests variables",
        "objects are applied; whether machines are replaced follows from names of templates and versions. What CAPO's webhooks keep is refused",
    ],
    [
        "step",
        "serviceAccount.{name,namespace,namespaces,podSecurity,quota,networkAttachments,rules,clusterRole,clusterAdmin,tokenLifeSeconds} serviceAccount.rules[].{apiGroups,resources,resourceNames,nonResourceURLs,verbs}",
        "another name or namespace is another account; the old one is deleted",
    ],
    [
        "nothing",
        "sendCredentials.url",
        "the credentials are sent there; with `removal` the former receiver gets the end",
    ],
    ["nothing", "sendCredentials.access", "the other credentials are sent"],
    ["nothing", "sendCredentials.{token,caCertificate,removal,timeoutSeconds}", "nothing is sent"],
    ["refused", "movable", "another resource would hold its objects, and the former one remove the cluster"],
    ["nothing", "paused timeoutSeconds"],
];

export const movedClusters: Row[] = [
    ["again", "from fromVim to toVim", "the clusters are brought back first"],
    ["step", "namespaces", "clusters of other namespaces move, those of a namespace that is left out come back"],
    ["nothing", "timeoutSeconds"],
];
