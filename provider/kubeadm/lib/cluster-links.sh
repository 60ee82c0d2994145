#!/bin/sh
# cluster-links.sh: what kube-proxy and the pod networks of clusters leave in the kernel, also networks of users (Calico, Cilium and the like).
# cluster_links prints the names of their links, cluster_tables their nftables tables as lines "FAMILY NAME".

cluster_links() {
    for link in /sys/class/net/*; do
        link=${link##*/}
        case $link in
            cni0 | flannel.[0-9]* | flannel-v6.[0-9]* | kube-ipvs0 | kube-bridge | kube-dummy-if | nodelocaldns) echo "$link" ;;
            cali[0-9a-f]* | *.calico | *.cali | cilium_* | weave | antrea-gw[0-9]* | ovn-k8s-mp[0-9]*) echo "$link" ;;
        esac
    done
}
cluster_tables() {
    command -v nft >/dev/null || return 0
    { nft list tables 2>/dev/null || true; } | awk '$3 ~ /^(kube-proxy|calico|cilium|flannel-ipv[46])$/ { print $2, $3 }'
}
