#!/bin/sh
# addon-manifest.sh: addon_manifest NAME: prints the objects of kubeadm's add-on as kubeadm makes them for this cluster. Empty: somebody has taken the add-on away,
# perhaps for another one. Of CoreDNS neither its Corefile nor its Deployment, which kubeadm leaves as others have them: settings, replicas, resources.
# It fails while the cluster changes: what is to be there is not known then. Wants KUBECONFIG.
# constants: CLUSTER_CONFIG_FILE FORMERS_FILE

is_not_known() { echo "what kubeadm would make is not known: $*" >&2; exit 1; }
addon_manifest() {
    kubectl_system() { kubectl -n kube-system --request-timeout=5s "$@"; }
    runs_as=daemonset
    [ "$1" != coredns ] || runs_as=deployment
    there=$(kubectl_system get "$runs_as" "$1" --ignore-not-found -o name)
    [ -n "$there" ] || return 0
    [ ! -s "$FORMERS_FILE" ] || is_not_known "the nodes move to another endpoint"
    # kubeadm changes its add-ons when all control-plane nodes have the new version
    version=$(kubeadm version -o short)
    versions=$(kubectl --request-timeout=5s get nodes -l node-role.kubernetes.io/control-plane \
        -o 'jsonpath={range .items[*]}{.status.nodeInfo.kubeletVersion}{"\n"}{end}' | sort -u)
    [ "$versions" = "$version" ] || is_not_known "kubeadm is $version, the control-plane nodes have $versions"
    manifest=$(kubeadm init phase addon "$1" --print-manifest --config "$CLUSTER_CONFIG_FILE" 2>/dev/null) || is_not_known "kubeadm does not print it"
    if [ "$1" = coredns ]; then manifest=$(printf '%s\n' "$manifest" | without_settings); fi
    printf '%s\n' "$manifest"
}
# A Service of kubeadm has a resourceVersion, which only an update may have. With a folder of patches kubeadm prints a line about it, too, between the objects.
without_settings() {
    awk 'function end() { if (text != "" && text !~ /(^|\n)kind: (Deployment|ConfigMap)\n/) printf "---\n%s", text; text = "" }
        /^---/ { end(); next }
        /^  resourceVersion:/ || /^ *#/ || /^\[/ { next }
        { text = text $0 "\n" }
        END { end() }'
}
