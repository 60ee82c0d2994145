#!/bin/sh
# config-in-use.sh: config_in_use prints the path of the configuration for kubeadm's phases.
# While nodes move to another endpoint it is a temporary copy: the cluster's own configuration changes only when all
# control-plane nodes serve the new endpoint (see move-endpoint.ts), and certificates have the names of both. Wants KUBECONFIG.
# inputs: ADDRESS
# constants: CLUSTER_CONFIG_FILE FORMERS_FILE

place_in_use() {
    kubectl --server "https://$ADDRESS:6443" --request-timeout=10s -n kube-system get configmap kubeadm-config \
        -o 'jsonpath={.data.ClusterConfiguration}' | sed -n 's/^controlPlaneEndpoint: *//p'
}
config_in_use() {
    if [ ! -s "$FORMERS_FILE" ]; then echo "$CLUSTER_CONFIG_FILE"; return 0; fi
    tries=0
    until place=$(place_in_use) && [ -n "$place" ]; do
        tries=$((tries + 1))
        if [ $tries -ge 15 ]; then
            echo "the cluster does not say what its endpoint is (configmap kubeadm-config)" >&2
            return 1
        fi
        sleep 2
    done
    names=$(sed -n 's/^{"host":"\([^"]*\)".*/    - "\1"/p' "$FORMERS_FILE")
    copy=$(mktemp -d -p /run)/cluster.yaml
    while IFS= read -r line; do
        case $line in
            'controlPlaneEndpoint: '*) printf 'controlPlaneEndpoint: %s\n' "$place" ;;
            '  certSANs:') printf '%s\n%s\n' "$line" "$names" ;;
            *) printf '%s\n' "$line" ;;
        esac
    done < "$CLUSTER_CONFIG_FILE" > "$copy"
    echo "$copy"
}
