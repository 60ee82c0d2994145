import { fixedFlags } from "../../provider/contract/fixed-inputs";
import { managementCluster, movedClusters, workloadCluster } from "./cluster-api-changes";
import type { Change, Row } from "./effects";
import {
    cloudStorage,
    clusterStorageClasses,
    ownCloudStorage,
    ownStorageClasses,
    persistentVolumes,
    snapshotClassRows,
    snapshotControllerRows,
    storageRows,
} from "./storage-changes";

/**
 * What a change of an input does to a running cluster: one row for every input of schema.json, by its name in docs/inputs.md, which prints
 * them. Inputs that are objects have no row of their own; their properties have. Inputs of one type that occur in several places (as
 * `infrastructure.heat.server`, `controlPlane.server`, `pools.NAME.server`) have rows at the first place.
 */

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
    ["nothing", "infrastructure.hosts.ssh.host", "must lead to the same machine; the machine's journal proves it"],
    [
        "nothing",
        "infrastructure.hosts.ssh.hostKey",
        "checked at once on each machine; a machine with another key is an error",
    ],
    [
        "membership",
        "infrastructure.hosts.controlPlane",
        "refused if no existing control-plane node stays, or if etcd would lose its quorum",
    ],
    [
        "membership",
        "infrastructure.hosts.controlPlane.NAME.address",
        "another address is another machine: the old one leaves, the new one joins; refused if no control-plane node would stay",
    ],
    ["membership", "infrastructure.hosts.pools"],
    ["refused", "infrastructure.heat.stackName"],
    ["nothing", "infrastructure.heat.timeoutMinutes infrastructure.{heat,nova}.bootTimeoutSeconds"],
    [
        "refused",
        "infrastructure.heat.template.file",
        "only the change from our template to yours or back; another file updates the stack",
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
        "Heat updates the stack. Preview refuses what would replace or disconnect the servers of existing nodes",
    ],
    [
        "refused",
        "infrastructure.heat.template.tacker.vdus.NAME.flavor infrastructure.heat.template.tacker.vdus.NAME.image " +
            "infrastructure.heat.template.tacker.vdus.NAME.availabilityZone",
        "for existing servers",
    ],
    [
        "nothing",
        "infrastructure.{heat,nova}.cloud",
        "for another name of the same cloud; another cloud has none of the resources",
    ],
    ["refused", "infrastructure.{heat,nova}.region infrastructure.{heat,nova}.keyPair"],
    ["refused", "infrastructure.{heat,nova}.flavor", "for existing servers; a new pool may use another value"],
    [
        "nothing",
        "infrastructure.{heat,nova}.image infrastructure.heat.server.image",
        "existing servers stay as they are; new ones use it, and those that you replace by name",
    ],
    [
        "refused",
        "infrastructure.heat.server.availabilityZones infrastructure.heat.server.serverGroup infrastructure.heat.server.bootVolume.sizeGiB " +
            "infrastructure.heat.server.bootVolume.type infrastructure.heat.server.volumes.NAME.type " +
            "infrastructure.heat.server.configDrive infrastructure.heat.server.networks infrastructure.heat.server.networks[].network " +
            "infrastructure.heat.server.networks[].subnet infrastructure.heat.server.networks[].port.vnicType",
        "for existing servers; a new pool may use another value",
    ],
    [
        "again",
        "infrastructure.{heat,nova}.externalNetwork",
        "the router's gateway and the floating IPs: the addresses from outside change. With `nova` the floating IPs stay, and Neutron refuses another gateway while they exist",
    ],
    [
        "refused",
        "infrastructure.heat.network.network infrastructure.heat.network.subnet infrastructure.heat.network.cidr",
    ],
    ["again", "infrastructure.heat.network.router", "the external route is interrupted for a moment"],
    [
        "cloud",
        "infrastructure.heat.network.dnsServers infrastructure.heat.network.mtu",
        "servers get it when they renew their DHCP lease",
    ],
    [
        "cloud",
        "infrastructure.heat.access.floatingIps infrastructure.heat.access.apiFloatingIp",
        "addresses from outside are added or removed",
    ],
    [
        "again",
        "infrastructure.heat.access.jumpServer.flavor infrastructure.heat.access.jumpServer.image",
        "the jump server; nodes keep running. With `nova` only when you replace it by name",
    ],
    [
        "cloud",
        "infrastructure.heat.access.sshCidrs infrastructure.heat.access.apiCidrs infrastructure.heat.access.nodePortCidrs " +
            "infrastructure.heat.server.securityGroups infrastructure.heat.server.networks[].port.portSecurity " +
            "infrastructure.heat.server.metadata infrastructure.{heat,nova}.metadata",
    ],
    ["cloud", "infrastructure.heat.server.volumes", "a new volume is attached; a removed one is deleted with its data"],
    ["cloud", "infrastructure.heat.server.volumes.NAME.sizeGiB", "the volume grows; the cloud refuses a smaller size"],
    ["nothing", "infrastructure.heat.server.userData", "for existing servers, because cloud-init reads it once"],
    ["nothing", "infrastructure.{heat,nova}.deleteProtection infrastructure.{heat,nova}.leftovers"],
    [
        "rolling",
        "kubernetes.version",
        "to a later patch or the next minor, in place: first the control-plane nodes, then workers as `maxUnavailable` says, each drained. Refused: a jump over a minor, an earlier version, and one that `source.apt` or `source.dnf` has not. See [upgrade](upgrade.md)",
    ],
    ["nothing", "kubernetes.allowUnsupportedVersion", "used with the next change of `kubernetes.version`"],
    ["nothing", "kubernetes.upgrade.{order,soakSeconds}", "used with the next change of `kubernetes.version`"],
    [
        "rolling",
        "kubernetes.upgrade.pauseAfter",
        "workers that it held back, and that it lets go, move to the version of the control plane",
    ],
    ["refused", "kubernetes.source.image.enabled", "for another kind of source"],
    ["step", "kubernetes.source.bundle.path", "new files of the bundle are staged; running versions stay"],
    ["step", "kubernetes.source.bundle.registry", "the images are pushed there; the next pull uses it"],
    ["step", "kubernetes.source.apt.repository kubernetes.source.apt.key", "installed packages stay"],
    [
        "rolling",
        "kubernetes.imageRepository",
        "API server, controller manager, scheduler, etcd and kube-proxy start from the new images. The run stops at a control-plane node that cannot get its images",
    ],
    ["restart", "kubernetes.sandboxImage", "containerd"],
    [
        "restart",
        "kubernetes.containerRuntime.from",
        "containerd, which the bundle brings. Back to `distribution`: refused",
    ],
    [
        "rolling",
        "kubernetes.startTimeoutSeconds",
        "static pods restart with other startup probes, on one control-plane node after another",
    ],
    ["membership", "controlPlane.count pools.NAME.count"],
    [
        "membership",
        "controlPlane.remove pools.NAME.remove",
        "the named nodes leave; a name that is taken out of the list joins again. See [scale](how-it-works.md#scale)",
    ],
    ["refused", "controlPlane.flavor pools.NAME.flavor", "for existing servers; a new pool may use another value"],
    [
        "rolling",
        "controlPlane.endpoint.vip.address controlPlane.endpoint.vip.port controlPlane.endpoint.external.host " +
            "controlPlane.endpoint.external.port",
        "the former endpoint stays beside the new one until all nodes have moved, also from `vip` to `external` or back; then every worker's " +
            "kubelet restarts, one after another, and pods keep running. See [another endpoint](how-it-works.md#another-endpoint). Refused on a " +
            "cloud, together with a change of the control-plane nodes or with workers that leave, and if both endpoints cannot coexist",
    ],
    [
        "restart",
        "controlPlane.endpoint.vip.prefixLength controlPlane.endpoint.vip.interface controlPlane.endpoint.vip.virtualRouterId",
        "keepalived, on all control-plane nodes at once: the address is unreachable for some seconds",
    ],
    ["rolling", "controlPlane.certificateSans", "the API server loads its new certificate without a restart"],
    [
        "step",
        "controlPlane.labels controlPlane.annotations pools.NAME.labels pools.NAME.annotations",
        "those that you remove from the program are removed; those that others have set stay",
    ],
    [
        "step",
        "controlPlane.taints controlPlane.taints[].key controlPlane.taints[].value controlPlane.taints[].effect pools.NAME.taints",
        "NoExecute evicts pods that do not tolerate the taint",
    ],
    ["rolling", "controlPlane.kubelet", "the kubelet restarts; pods keep running"],
    ["restart", "pools.NAME.kubelet", "the kubelet, in this pool only; pods keep running"],
    [
        "rolling",
        "kubelet",
        "the kubelet restarts, control-plane nodes first, then the workers, as many of a pool at once as `maxUnavailable` says; pods keep running",
    ],
    [
        "rolling",
        "controlPlane.extraArgs",
        "components with changed flags restart. etcd only if all its members are healthy; if it does not start with the new flags, they are " +
            `withdrawn. Refused: ${flags}`,
    ],
    ["rolling", "controlPlane.patches", "patched components restart"],
    ["rolling", "controlPlane.audit.enabled", "the API server restarts"],
    [
        "rolling",
        "controlPlane.audit.policy",
        "the API server restarts; if it cannot read the policy, the former one is restored, and the run stops at the first control-plane node",
    ],
    [
        "rolling",
        "controlPlane.encryptionAtRest.enabled",
        "turned on: the API server restarts, and later writes are encrypted. Refused with several control-plane nodes, because those not yet changed could not read Secrets: turn it on with one, then add the others. Turned off: refused",
    ],
    [
        "membership",
        "heal.run",
        "another word: each node that is named leaves and joins again, once. See [heal](how-it-works.md#heal). Taken away: nothing",
    ],
    [
        "nothing",
        "heal.{nodes,all,cure}",
        "used with the next word of `run`; a node that is not named any more is not healed if its heal has not been done",
    ],
    [
        "membership",
        "replaceServers.run",
        "another word: each node that is named leaves and joins again on a new server, once. See [new servers](openstack.md#new-servers). Taken away: nothing",
    ],
    [
        "membership",
        "replaceServers.{nodes,all}",
        "further nodes get new servers under the same word; one that is not named any more keeps its server if its turn has not begun",
    ],
    [
        "nothing",
        "acceptDrift",
        "what the last refresh found of a step that is not named any more is put back, one control-plane node after another where that interrupts",
    ],
    ["step", "etcdBackup", "the timers start or end; without it the snapshots stay in their repository"],
    [
        "step",
        "etcdBackup.{schedule,program}",
        "the timers of all control-plane nodes; `program` stands in the snapshots from now on",
    ],
    ["step", "etcdBackup.password", "the repository is opened. An existing one with another password is refused"],
    ["step", "etcdBackup.run", "one more snapshot"],
    [
        "rolling",
        "etcdRestore.run",
        "not one after another: etcd and the API server stop on all control-plane nodes, and all objects become those of the snapshot. See [backup](backup.md#restore). Taken away: nothing",
    ],
    ["nothing", "etcdRestore.snapshot etcdRestore.onto", "used with the next word of `run`"],
    [
        "step",
        "rotate.encryptionKey",
        "another word: all Secrets are encrypted with another key, and the former one is removed, on one control-plane node after another. Nothing restarts. See [rotation](rotation.md). Taken away: nothing",
    ],
    [
        "rolling",
        "rotate.serviceAccountKey",
        "another word: tokens of service accounts are signed by another key; API server and controller manager restart, on one control-plane node after another. The former key ends with the first `up` after the grace. See [rotation](rotation.md#service-account-key). Taken away: nothing, but the former key stays valid",
    ],
    ["nothing", "rotate.serviceAccountGraceHours rotate.authoritiesGraceHours", "looked at by the next `up`"],
    [
        "rolling",
        "rotate.authorities",
        "another word: other authorities and another administrators' certificate. The first `up` after the grace exchanges them on the nodes; API server and etcd restart on one control-plane node after another, kubelet on all nodes. See [rotation](rotation.md#authorities). Taken away: nothing, but the nodes keep what they have",
    ],
    [
        "rolling",
        "rotate.loginKey",
        "another word: another SSH key logs in to the servers. The first `up` makes it known to all of them, the next one ends the former one; nothing restarts. See [rotation](rotation.md#login-key). Taken away: refused",
    ],
    [
        "rolling",
        "os.upgrade",
        "another word: the packages of the operating system are upgraded, with reboots where needed: one control-plane node after another, then workers as `maxUnavailable` says, each drained. See [os-upgrade](os-upgrade.md). Taken away: nothing",
    ],
    [
        "nothing",
        "os.{packages,reboot,rebootTimeoutSeconds} os.{order,soakSeconds}",
        "used with the next word of `upgrade`",
    ],
    ["rolling", "os.pauseAfter", "workers that it held back, and that it lets go, are upgraded"],
    ["nothing", "pools.NAME.maxUnavailable"],
    ["step", "pools.NAME.sysctls sysctls", "a removed setting keeps its value until the machine reboots"],
    ["refused", "network.podCidr network.serviceCidr network.dnsDomain network.cni"],
    [
        "step",
        "tenants.{externalIps,nfsServers,controlPlaneNodes}",
        "admission policies: they judge what is made or changed from then on; what exists stays",
    ],
    ["step", "network.podsReachMetadata"],
    ["step", "network.cniManifests", "applied; objects that are removed from the manifests stay"],
    [
        "rolling",
        "kubeProxy",
        "kube-proxy's pods are replaced, the one of the first control-plane node before the others; their rules stay meanwhile. If it does not work with the new settings, they are withdrawn",
    ],
    ["restart", "proxy.httpProxy proxy.httpsProxy proxy.noProxy", "containerd and kubelet"],
    [
        "step",
        "registries.NAME.endpoints registries.NAME.ca registries.NAME.username registries.NAME.password",
        "the next pull uses it",
    ],
    [
        "nothing",
        "certificates.renewBeforeDays",
        "until a certificate is due by it; then that node's are renewed. See [certificates](certificates.md)",
    ],
    [
        "rolling",
        "certificates.validityDays",
        "the API server loads a new certificate without a restart; the other certificates get it at their next renewal",
    ],
    ["step", "trustedCertificates", "running programs use it after their next start"],
    [
        "nothing",
        "drain.timeoutSeconds drain.policy",
        "a node leaves with the values of the last `up` in which the program contained it",
    ],
    [
        "rolling",
        "cloudProvider.cloudControllerManager.enabled",
        "it is installed or removed; the kubelet restarts, control-plane nodes first, then the workers, as many of a pool at once as `maxUnavailable` says. Existing nodes are not initialised later",
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
        "its pods are replaced",
    ],
    ["step", "cloudProvider.cinderCsi.enabled", "it is installed or removed; volumes stay"],
    [
        "step",
        "cloudProvider.cinderCsi.storageClasses " +
            "cloudProvider.cinderCsi.storageClasses.NAME.{volumeType,availabilityZone,fsType,isDefault,reclaimPolicy,volumeBindingMode}",
        "the class is replaced; volumes and claims stay",
    ],
    ["again", "cloudProvider.credentials.roles", "the application credential, then the pods that log in with it"],
    [
        "step",
        "vim.serviceAccount.{name,namespace,namespaces,podSecurity,quota,networkAttachments,rules,clusterRole,clusterAdmin,tokenLifeSeconds} vim.serviceAccount.rules[].{apiGroups,resources,resourceNames,nonResourceURLs,verbs}",
        "another name or namespace is another account; the old one is deleted",
    ],
    [
        "nothing",
        "hooks[].{name,module,script,manifests,events,action,parameters,timeoutSeconds,retries} hooks[].nodes.{role,pool,names,first} " +
            "hooks[].tacker.{package,script,python,flavourId,vnfdId,vdus,aspects,connectionPoints,vimConnectionInfo} " +
            "hooks[].tacker.{vnfcs,instance,request,newPackage} hooks[].tacker.stack.{name,id}",
        "an operation of its own (modify information: hooks), as is another content of the files; its hooks run as the program has them now",
    ],
    ["again", "vim.tokenGeneration", "the token; the old one stops working"],
    ...storageRows("storage."),
    ...cloudStorage,
    ...clusterStorageClasses,
    ...snapshotClassRows("cloudProvider.cinderCsi.snapshotClasses").slice(0, 1),
    ...snapshotControllerRows,
    [
        "step",
        "storage.persistentVolumes storage.persistentVolumes.NAME.{capacityGiB,accessModes,reclaimPolicy,storageClassName,mountOptions,claim,labels} " +
            "storage.persistentVolumeManifests",
        "refused for a PersistentVolume that is removed and used, unless `force` names it",
    ],
    [
        "again",
        "storage.persistentVolumes.NAME.path storage.persistentVolumes.NAME.server",
        "Kubernetes cannot change the source of a PersistentVolume; refused while it is used",
    ],
];

const vim: Row[] = [
    [
        "step",
        "kubeconfig context endpoint caCertificate sslCaCert auth.{clientCertificate,clientKey,bearerToken} " +
            "auth.oidc.{issuerUrl,tokenUrl,clientId,clientSecret,username,password,scope,caCertificate}",
        "the access is verified again",
    ],
    [
        "step",
        "serviceAccount.{name,namespace,namespaces,podSecurity,quota,networkAttachments,rules,clusterRole,clusterAdmin,tokenLifeSeconds} serviceAccount.rules[].{apiGroups,resources,resourceNames,nonResourceURLs,verbs}",
        "another name or namespace is another account; the old one is deleted",
    ],
    ["again", "tokenGeneration", "the token; the old one stops working"],
    [
        "again",
        "clusterIdentifier",
        "the Vim and everything on it; nothing if the uid of kube-system shows the same cluster",
    ],
];

const cnf: Row[] = [
    ["again", "vim", "all objects, if it is another cluster"],
    [
        "step",
        "manifests objects chart chart.{source,version,values,valuesFiles,releaseName,skipDefinitions}",
        "objects are added, changed or removed; an object that Kubernetes cannot change in place is replaced",
    ],
    ["again", "namespace", "all objects without a namespace of their own"],
    [
        "step",
        "createNamespace",
        "the namespace is created; or it is deleted with this Cnf's objects, unless it contains anything else, such as a claim of a StatefulSet",
    ],
    ["step", "replicas"],
    ["nothing", "customKinds timeoutSeconds"],
    [
        "step",
        "readiness readiness.NAME.{condition,status,field,value,exists,timeoutSeconds}",
        "the objects are awaited again",
    ],
    ["step", "skipAwait"],
];

/** Resource → input → effect of a change. */
export const changes: Record<string, Record<string, Change>> = {
    KubernetesCluster: table(cluster),
    Vim: table(vim),
    Cnf: table(cnf),
    PersistentVolumes: table(persistentVolumes),
    StorageClasses: table(ownStorageClasses),
    StorageServer: table([...storageRows(""), ...ownCloudStorage]),
    ManagementCluster: table(managementCluster),
    WorkloadCluster: table(workloadCluster),
    MovedClusters: table(movedClusters),
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
