/**
 * SHA-256 of upstream's release files, by address without https://. Each was published by the project and is taken here from a second
 * place, so that a server alone cannot vouch for its file:
 * kubelet, kubeadm, kubectl from kubespray's table of checksums; the CNI plugins from two projects that pin them; CoreDNS from a
 * published comparison of its archive with its image. For the others no second place was found: see `trustsUnpinnedDownloads`.
 */
export const officialSums: Record<string, string> = {
    "dl.k8s.io/release/v1.36.3/bin/linux/amd64/kubelet":
        "46707a53209f826ad0f0d62371ac69cd00e78fd9a8176cf5f6f87f18f7f8b718",
    "dl.k8s.io/release/v1.36.3/bin/linux/amd64/kubeadm":
        "bba1733c701bf70ec74ba1cc3fd5745404c1134a8a4b0a5f8560cc9832023421",
    "dl.k8s.io/release/v1.36.3/bin/linux/amd64/kubectl":
        "ebbd080e7c2e275093b55915722043257eb24004363e20acb3c4d71919f88336",
    "github.com/coredns/coredns/releases/download/v1.14.7/coredns_1.14.7_linux_amd64.tgz":
        "9a09356438c6d9591cb80011a2a7a52f87fc3a113f6690e41f243f98b98faac9",
    "github.com/containernetworking/plugins/releases/download/v1.9.1/cni-plugins-linux-amd64-v1.9.1.tgz":
        "b98f74a0f8522f0a83867178729c1aa70f2158f90c45a2ca8fa791db1c76b303",
};

/**
 * Archives for mirror folders that were built from the Go modules and the sources of ours that pulumi-groups.ts names: its `code` says
 * what is in them. They are not upstream's own files, so only a mirror has them.
 */
export const rebuiltSums: Record<string, string> = {
    "pulumi-v3.259.0-linux-x64.tar.gz": "f7394a976ed2b1715be3df98b32bdc9802957a7c736e41dbbcbb6c9d4c8399c1",
    "pulumi-resource-kubernetes-v4.32.0-linux-amd64.tar.gz":
        "99dcb95c838c44c3799dd3958bd8d0501b04a5e6b15c61932823af780aa8ab1c",
    "pulumi-resource-openstack-v3.15.2-linux-amd64.tar.gz":
        "11e247173a7bcfeb1de2820c2fd562d3a4fecd2bb2d2c9b0f48017f839df0a3d",
};
