/** A workload cluster that no machine is made for: its credentials lead nowhere. */
const openstack = "infrastructure.cluster.x-k8s.io";
const nodeRegistration = { name: "{{ local_hostname }}" };
const kubeadm = { initConfiguration: { nodeRegistration }, joinConfiguration: { nodeRegistration } };

export const cluster = {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "Cluster",
    metadata: { name: "c1" },
    spec: {
        clusterNetwork: { pods: { cidrBlocks: ["10.244.0.0/16"] } },
        controlPlaneRef: { apiGroup: "controlplane.cluster.x-k8s.io", kind: "KubeadmControlPlane", name: "c1" },
        infrastructureRef: { apiGroup: openstack, kind: "OpenStackCluster", name: "c1" },
    },
};

export const openstackCluster = {
    apiVersion: `${openstack}/v1beta1`,
    kind: "OpenStackCluster",
    metadata: { name: "c1" },
    spec: {
        identityRef: { type: "Secret", cloudName: "openstack", name: "c1-cloud-config" },
        managedSubnets: [{ cidr: "10.6.0.0/24" }],
    },
};

export const machineTemplate = {
    apiVersion: `${openstack}/v1beta1`,
    kind: "OpenStackMachineTemplate",
    metadata: { name: "c1" },
    spec: { template: { spec: { flavor: "m1.medium", image: { filter: { name: "k8s" } } } } },
};

export const controlPlane = {
    apiVersion: "controlplane.cluster.x-k8s.io/v1beta2",
    kind: "KubeadmControlPlane",
    metadata: { name: "c1" },
    spec: {
        replicas: 1,
        version: "v1.36.3",
        machineTemplate: {
            spec: { infrastructureRef: { apiGroup: openstack, kind: "OpenStackMachineTemplate", name: "c1" } },
        },
        kubeadmConfigSpec: kubeadm,
    },
};

export const credentials = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "c1-cloud-config" },
    stringData: {
        "clouds.yaml": JSON.stringify({
            clouds: {
                openstack: {
                    auth: {
                        auth_url: "http://10.99.0.251:5000/v3",
                        username: "demo",
                        password: "x",
                        project_name: "demo",
                    },
                },
            },
        }),
    },
};

export const machineDeployment = {
    apiVersion: "cluster.x-k8s.io/v1beta1",
    kind: "MachineDeployment",
    metadata: { name: "c1-workers" },
    spec: {
        clusterName: "c1",
        replicas: 2,
        selector: { matchLabels: null },
        template: {
            spec: {
                clusterName: "c1",
                version: "v1.36.3",
                bootstrap: { dataSecretName: "nowhere" },
                infrastructureRef: { apiVersion: `${openstack}/v1beta1`, kind: "OpenStackMachineTemplate", name: "c1" },
            },
        },
    },
};

/** What each provider's webhook refuses, and its words. */
export const refused: [what: string, object: object, words: RegExp][] = [
    [
        "core: a Cluster that leads to nothing",
        { ...cluster, metadata: { name: "bad" }, spec: { paused: true } },
        /one of spec\.controlPlaneRef, spec\.infrastructureRef or spec\.topology must be set/,
    ],
    [
        "bootstrap: Ignition, whose feature gate is off",
        {
            apiVersion: "bootstrap.cluster.x-k8s.io/v1beta2",
            kind: "KubeadmConfig",
            metadata: { name: "bad" },
            spec: { format: "ignition" },
        },
        /KubeadmBootstrapFormatIgnition feature gate/,
    ],
    [
        "control plane: an even number of control-plane nodes with etcd on them",
        { ...controlPlane, metadata: { name: "bad" }, spec: { ...controlPlane.spec, replicas: 2 } },
        /cannot be an even number when etcd is stacked/,
    ],
    [
        "infrastructure: another flavor in a template that machines were made of",
        {
            ...machineTemplate,
            spec: { template: { spec: { ...machineTemplate.spec.template.spec, flavor: "m1.large" } } },
        },
        /field is immutable/,
    ],
];
