import { fixedFlags } from "../../provider/resources/fixed-inputs";

/**
 * What a change of an input does to a running cluster: one row for every input of schema.json, by its name in docs/inputs.md, which prints
 * them. Inputs that are objects have no row of their own; their properties have. Inputs of one type that occur in several places (as
 * `infrastructure.heat.server`, `controlPlane.server`, `pools.NAME.server`) have rows at the first place.
 */

export const effects = {
    nothing: "nothing happens on the nodes: it counts from the next operation on",
    step: "written where it belongs; nothing restarts, nothing waits",
    restart: "a service starts again on all nodes at once; containers go on",
    rolling: "masters one after another, each waited for",
    membership: "nodes join or leave; the others only learn which masters there are",
    cloud: "the cloud changes it in place; servers go on",
    again: "is made again; what that costs is said",
    refused: "refused at preview, with what to do instead",
} as const;

export type Effect = keyof typeof effects;

export interface Change {
    effect: Effect;
    /** Adds to the effect's general meaning. */
    note?: string;
}

type Row = [effect: Effect, names: string, note?: string];

/** Flags of etcd and others that define a component's data or networks. */
const flags = [...new Set(Object.values(fixedFlags).flat())].join(", ");

/** `{heat,nova}` stands for each of them. Names are separated by blanks. */
const cluster: Row[] = [
    ["refused", "clusterName"],
    [
        "nothing",
        "infrastructure.hosts.ssh.port infrastructure.hosts.ssh.user infrastructure.hosts.ssh.privateKey infrastructure.hosts.ssh.passphrase " +
            "infrastructure.hosts.ssh.password infrastructure.hosts.ssh.agent infrastructure.hosts.ssh.jump " +
            "infrastructure.hosts.ssh.connectTimeoutSeconds infrastructure.hosts.ssh.keepAliveSeconds",
    ],
    ["nothing", "infrastructure.hosts.ssh.host", "must be another way to the same machine: its journal says so"],
    [
        "nothing",
        "infrastructure.hosts.ssh.hostKey",
        "it is checked at once, by a look at each machine; one that shows another key is an error",
    ],
    [
        "membership",
        "infrastructure.hosts.controlPlane",
        "refused where no former master stays, or etcd's quorum would not hold",
    ],
    [
        "membership",
        "infrastructure.hosts.controlPlane.NAME.address",
        "another address is another machine: the former one leaves, the new one joins; refused where no master would stay",
    ],
    ["membership", "infrastructure.hosts.pools"],
    ["refused", "infrastructure.heat.stackName"],
    ["nothing", "infrastructure.heat.timeoutMinutes infrastructure.{heat,nova}.bootTimeoutSeconds"],
    [
        "refused",
        "infrastructure.heat.template.file",
        "only from our template to yours or back; another file changes the stack as Heat does",
    ],
    [
        "cloud",
        "infrastructure.heat.template.parameters infrastructure.heat.template.tacker.userDataClass " +
            "infrastructure.heat.template.tacker.masterNode.aspect infrastructure.heat.template.tacker.masterNode.vdu " +
            "infrastructure.heat.template.tacker.masterNode.sshConnectionPoint " +
            "infrastructure.heat.template.tacker.masterNode.nicConnectionPoint infrastructure.heat.template.tacker.workerNodes " +
            "infrastructure.heat.template.tacker.clusterConnectionPoint infrastructure.heat.template.tacker.clusterFloatingIp " +
            "infrastructure.heat.template.tacker.connectionPoints.NAME.network " +
            "infrastructure.heat.template.tacker.connectionPoints.NAME.subnet " +
            "infrastructure.heat.template.tacker.connectionPoints.NAME.fixedAddress " +
            "infrastructure.heat.template.tacker.connectionPoints.NAME.fixedIps[].{subnet,address} " +
            "infrastructure.heat.template.tacker.vdus.NAME.count " +
            "infrastructure.heat.template.tacker.connectionPoints.NAME.port",
        "as Heat changes the stack: ports and servers whose properties it cannot change are made again. Look at preview's template first",
    ],
    [
        "refused",
        "infrastructure.heat.template.tacker.vdus.NAME.flavor infrastructure.heat.template.tacker.vdus.NAME.image " +
            "infrastructure.heat.template.tacker.vdus.NAME.availabilityZone",
        "for servers that exist",
    ],
    [
        "nothing",
        "infrastructure.{heat,nova}.cloud",
        "another name of the same cloud; in another cloud nothing would be found",
    ],
    ["refused", "infrastructure.{heat,nova}.region infrastructure.{heat,nova}.keyPair"],
    ["refused", "infrastructure.{heat,nova}.flavor", "for servers that exist; a new pool may have others"],
    [
        "nothing",
        "infrastructure.{heat,nova}.image infrastructure.heat.server.image",
        "servers that exist stay as they are: new ones are made from it, and those that are replaced by name",
    ],
    [
        "refused",
        "infrastructure.heat.server.availabilityZones infrastructure.heat.server.serverGroup infrastructure.heat.server.bootVolume.sizeGiB " +
            "infrastructure.heat.server.bootVolume.type infrastructure.heat.server.volumes.NAME.type " +
            "infrastructure.heat.server.configDrive infrastructure.heat.server.networks infrastructure.heat.server.networks[].network " +
            "infrastructure.heat.server.networks[].subnet infrastructure.heat.server.networks[].port.vnicType",
        "for servers that exist; a new pool may have others",
    ],
    [
        "again",
        "infrastructure.{heat,nova}.externalNetwork",
        "router's gateway and floating IPs: the addresses from outside are others. With `nova` floating IPs stay where they are, and Neutron refuses another gateway under them",
    ],
    [
        "refused",
        "infrastructure.heat.network.network infrastructure.heat.network.subnet infrastructure.heat.network.cidr",
    ],
    ["again", "infrastructure.heat.network.router", "the way out is away for a moment"],
    [
        "cloud",
        "infrastructure.heat.network.dnsServers infrastructure.heat.network.mtu",
        "servers see it when they renew their lease",
    ],
    [
        "cloud",
        "infrastructure.heat.access.floatingIps infrastructure.heat.access.apiFloatingIp",
        "addresses from outside come or go",
    ],
    [
        "again",
        "infrastructure.heat.access.jumpServer.flavor infrastructure.heat.access.jumpServer.image",
        "the jump server; nodes go on. With `nova` only when it is replaced by name",
    ],
    [
        "cloud",
        "infrastructure.heat.access.sshCidrs infrastructure.heat.access.apiCidrs infrastructure.heat.access.nodePortCidrs " +
            "infrastructure.heat.server.securityGroups infrastructure.heat.server.networks[].port.portSecurity " +
            "infrastructure.heat.server.metadata infrastructure.{heat,nova}.metadata",
    ],
    [
        "cloud",
        "infrastructure.heat.server.volumes",
        "a volume that is new is attached; one that is gone is deleted with its data",
    ],
    ["cloud", "infrastructure.heat.server.volumes.NAME.sizeGiB", "grows; the cloud refuses to make it smaller"],
    ["nothing", "infrastructure.heat.server.userData", "for servers that exist: cloud-init reads it once"],
    ["nothing", "infrastructure.{heat,nova}.deleteProtection infrastructure.{heat,nova}.leftovers"],
    ["refused", "kubernetes.version", "upgrades are not there yet; where a node never joined it may be corrected"],
    ["refused", "kubernetes.source.image.enabled", "from one origin to another"],
    ["step", "kubernetes.source.bundle.path", "what the bundle has more is staged; what runs stays"],
    ["step", "kubernetes.source.bundle.registry", "the images are pushed there; the next pull comes from there"],
    ["step", "kubernetes.source.apt.repository kubernetes.source.apt.key", "what is installed stays"],
    [
        "rolling",
        "kubernetes.imageRepository",
        "API server, controller manager, scheduler and etcd start from the new images; kube-proxy too. A master whose images are not there stops the run",
    ],
    ["restart", "kubernetes.sandboxImage", "containerd"],
    ["membership", "controlPlane.count pools.NAME.count"],
    ["refused", "controlPlane.flavor pools.NAME.flavor", "for servers that exist; a new pool may have others"],
    [
        "rolling",
        "controlPlane.endpoint.vip.address controlPlane.endpoint.vip.port controlPlane.endpoint.external.host " +
            "controlPlane.endpoint.external.port",
        "the former endpoint stays beside the new one until all nodes have moved, also from `vip` to `external` or back; then every worker's " +
            "kubelet starts again, one after another, and pods go on. See [another endpoint](how-it-works.md#another-endpoint). Refused on a " +
            "cloud, together with a change of the masters or with workers that leave, and where both cannot stand side by side",
    ],
    [
        "restart",
        "controlPlane.endpoint.vip.prefixLength controlPlane.endpoint.vip.interface controlPlane.endpoint.vip.virtualRouterId",
        "keepalived on all masters: the address is away for some seconds",
    ],
    ["rolling", "controlPlane.certificateSans", "the API server reads its new certificate by itself"],
    [
        "step",
        "controlPlane.labels controlPlane.annotations pools.NAME.labels pools.NAME.annotations",
        "ours that are not said any more go, those of others stay",
    ],
    [
        "step",
        "controlPlane.taints controlPlane.taints[].key controlPlane.taints[].value controlPlane.taints[].effect pools.NAME.taints",
        "NoExecute evicts pods that do not tolerate it",
    ],
    ["rolling", "controlPlane.kubelet", "kubelet starts again; pods go on"],
    ["restart", "pools.NAME.kubelet", "kubelet, of this pool only; pods go on"],
    ["rolling", "kubelet", "kubelet starts again, masters first, then all workers at once; pods go on"],
    [
        "rolling",
        "controlPlane.extraArgs",
        "what has other flags starts again. etcd only where all its members are healthy, and flags with which it does not come back are taken " +
            `back. Refused: ${flags}`,
    ],
    ["rolling", "controlPlane.patches", "what is patched starts again"],
    ["rolling", "controlPlane.audit.enabled", "the API server starts again"],
    [
        "rolling",
        "controlPlane.audit.policy",
        "the API server starts again; with one that it cannot read the run stops at the first master",
    ],
    [
        "rolling",
        "controlPlane.encryptionAtRest.enabled",
        "turned on: the API server starts again, and what is written from then on is encrypted; refused with several masters, for those that change later could not read Secrets meanwhile: turn it on with one, then add the others. Turned off: refused",
    ],
    [
        "step",
        "pools.NAME.sysctls sysctls",
        "one that is not said any more keeps its value until the machine starts again",
    ],
    ["refused", "network.podCidr network.serviceCidr network.dnsDomain network.cni"],
    ["step", "network.cniManifests", "applied; objects that are not in them any more stay"],
    ["rolling", "kubeProxy", "kube-proxy's pods are made again; their rules stay meanwhile"],
    ["restart", "proxy.httpProxy proxy.httpsProxy proxy.noProxy", "containerd and kubelet"],
    [
        "step",
        "registries.NAME.endpoints registries.NAME.ca registries.NAME.username registries.NAME.password",
        "for the next pull",
    ],
    ["step", "trustedCertificates", "programs that run already know it from their next start on"],
    ["nothing", "drain.timeoutSeconds drain.policy", "a node leaves by what was said when it was last brought up"],
    [
        "rolling",
        "cloudProvider.cloudControllerManager.enabled",
        "it comes or goes; kubelet starts again, masters first, then all workers at once. Nodes that exist are not initialised later",
    ],
    [
        "step",
        "cloudProvider.cloudControllerManager.version " +
            "cloudProvider.cloudControllerManager.loadBalancer.{enabled,floatingNetworkId,floatingSubnetId,subnetId,networkId,provider,method} " +
            "cloudProvider.cloudControllerManager.loadBalancer.{flavorId,availabilityZone,internal,createMonitor,manageSecurityGroups} " +
            "cloudProvider.cinderCsi.version " +
            "cloudProvider.cinderCsi.ignoreVolumeZone cloudProvider.authUrl cloudProvider.region cloudProvider.caCertificate " +
            "cloudProvider.imageRepository cloudProvider.credentials.applicationCredentialId " +
            "cloudProvider.credentials.applicationCredentialSecret",
        "its pods are made again",
    ],
    ["step", "cloudProvider.cinderCsi.enabled", "comes or goes; volumes stay"],
    [
        "step",
        "cloudProvider.cinderCsi.storageClasses " +
            "cloudProvider.cinderCsi.storageClasses.NAME.{volumeType,availabilityZone,fsType,isDefault,reclaimPolicy,volumeBindingMode}",
        "the class is made again; volumes and claims stay",
    ],
    ["again", "cloudProvider.credentials.roles", "the application credential, then the pods that log in with it"],
    [
        "step",
        "vim.serviceAccount.{name,namespace,namespaces,podSecurity,rules,clusterRole,clusterAdmin,tokenLifeSeconds} vim.serviceAccount.rules[].{apiGroups,resources,resourceNames,nonResourceURLs,verbs}",
        "another name or namespace is another account; the former one goes",
    ],
    ["again", "vim.tokenGeneration", "the token; the former one stops working"],
];

const vim: Row[] = [
    [
        "step",
        "endpoint caCertificate sslCaCert auth.{clientCertificate,clientKey,bearerToken} " +
            "auth.oidc.{issuerUrl,tokenUrl,clientId,clientSecret,username,password,scope,caCertificate}",
        "the access is proven again",
    ],
    [
        "step",
        "serviceAccount.{name,namespace,namespaces,podSecurity,rules,clusterRole,clusterAdmin,tokenLifeSeconds} serviceAccount.rules[].{apiGroups,resources,resourceNames,nonResourceURLs,verbs}",
        "another name or namespace is another account; the former one goes",
    ],
    ["again", "tokenGeneration", "the token; the former one stops working"],
    [
        "again",
        "clusterIdentifier",
        "the Vim and all that is on it; nothing, where kube-system shows that it is the same cluster",
    ],
];

const cnf: Row[] = [
    ["again", "vim", "all objects, where it is another cluster"],
    [
        "step",
        "manifests objects",
        "objects come, change or go; what Kubernetes cannot change in an object is made again",
    ],
    ["again", "namespace", "all objects that name none"],
    [
        "step",
        "createNamespace",
        "the namespace comes; or it goes with this Cnf's objects in it, but stays while anything else is in it, also a claim that a StatefulSet made",
    ],
    ["step", "replicas"],
    ["nothing", "customKinds timeoutSeconds"],
    ["step", "skipAwait"],
];

/** Resource → input → effect of a change. */
export const changes: Record<string, Record<string, Change>> = {
    KubernetesCluster: table(cluster),
    Vim: table(vim),
    Cnf: table(cnf),
};

function table(rows: Row[]): Record<string, Change> {
    const entries = rows.flatMap(([effect, names, note]) =>
        names
            .split(" ")
            .flatMap(expanded)
            .map((name): [string, Change] => [name, { effect, ...(note !== undefined && { note }) }]),
    );
    return Object.fromEntries(entries);
}

function expanded(name: string): string[] {
    const [whole, list] = /\{([^}]*)\}/.exec(name) ?? [];
    return whole === undefined ? [name] : list!.split(",").flatMap(each => expanded(name.replace(whole, each)));
}
