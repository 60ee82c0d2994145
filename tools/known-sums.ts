/**
 * SHA-256 of upstream's release files, by address without https://. Each was published by the project and is taken here from a second
 * place, so that a server alone cannot vouch for its file:
 * kubelet, kubeadm, kubectl from kubespray's table of checksums; the CNI plugins from two projects that pin them; CoreDNS from a
 * published comparison of its archive with its image. For the others no second place was found: see `trustsUnpinnedDownloads`.
 */
export const officialSums: Record<string, string> = {
    "dl.k8s.io/release/v1.34.4/bin/linux/amd64/kubelet":
        "03b8fea715a7ef82eeaf518dee34c72670c57cc7bc40dc1320c04fbf4f15172f",
    "dl.k8s.io/release/v1.34.4/bin/linux/amd64/kubeadm":
        "b967f1fa0e36621c402d38bb560eb4a943954d5cf5a00e5150842f6f5da73455",
    "dl.k8s.io/release/v1.34.4/bin/linux/amd64/kubectl":
        "d50c359d95e0841eaad08ddc27c7be37cba8fdccfba5c8e2ded65e121ff112db",
    "github.com/coredns/coredns/releases/download/v1.14.7/coredns_1.14.7_linux_amd64.tgz":
        "9a09356438c6d9591cb80011a2a7a52f87fc3a113f6690e41f243f98b98faac9",
    "github.com/containernetworking/plugins/releases/download/v1.9.1/cni-plugins-linux-amd64-v1.9.1.tgz":
        "b98f74a0f8522f0a83867178729c1aa70f2158f90c45a2ca8fa791db1c76b303",
};

/** Archives for mirror folders that were built from upstream's tags, by name. They are not upstream's own files, so only a mirror has them. */
export const rebuiltSums: Record<string, string> = {
    "pulumi-v3.259.0-linux-x64.tar.gz": "8a7a5116efa7effcf3886409f4f83f2d65cb737bbcce8eca2d9fc7a469d84c9e",
    "pulumi-resource-kubernetes-v4.32.0-linux-amd64.tar.gz":
        "18f77101f9deb4fc9ab76c4361974994c33af10363195e0a814a43801767c76a",
    "pulumi-resource-command-v1.2.1-linux-amd64.tar.gz":
        "3121bbdd23ff04ecfd586e95160a9fd2c2bfa64cb843e4891915d7ef9293d018",
    "pulumi-resource-openstack-v3.15.2-linux-amd64.tar.gz":
        "86b599b8f3500f230fe383a39dac97a531dccd7fd162edf0b9fe30d9517f4837",
    "pulumi-resource-openstack-v5.5.1-linux-amd64.tar.gz":
        "e56d3e68f71e5d5e2c4237b43efce737b08567989eb042ea1650d6390f048ef1",
    "openstack-and-csi-addons-v1.34.1-linux-amd64.tar.xz":
        "eafeeb1b4af51ebfb42f6556267993f629912db571e16e9c1ba770e002e85689",
    "cluster-api-provider-openstack-v0.14.7-linux-amd64.tar.gz":
        "7515c966952f183ee44269488986176de0f930576c83c2155c3d1ff7ae1e64ee",
};
