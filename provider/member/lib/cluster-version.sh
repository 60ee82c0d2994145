#!/bin/sh
# cluster-version.sh: cluster_version TIMEOUT prints the version that the cluster has in kubeadm's configuration; nothing if it is not told. Needs KUBECONFIG.

cluster_version() {
    kubectl --request-timeout="$1" -n kube-system get configmap kubeadm-config -o 'jsonpath={.data.ClusterConfiguration}' |
        sed -n 's/^kubernetesVersion: *"\{0,1\}v\([^"]*\)"\{0,1\}$/\1/p'
}
