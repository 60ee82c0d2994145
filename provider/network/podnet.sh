#!/bin/sh
# podnet.sh: the program of the pod network, on each node, in busybox sh; its image has iptables and ip. It comes to the
# node in a ConfigMap, not in a step. Routes have the metric of podnet.ts, which marks them as ours.
# inputs: NODE POD_CIDR CONFLIST KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT (environment of the pod)
# shellcheck disable=SC2153 # CONFLIST is the content, conflist the file

set -u
account=/var/run/secrets/kubernetes.io/serviceaccount
conflist=/host/etc/cni/net.d/10-podnet.conflist
# a token among the arguments would show in the node's list of processes
login=/tmp/kubeconfig
cat > "$login" <<LOGIN
apiVersion: v1
kind: Config
clusters:
    - { name: own, cluster: { server: "https://$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT", certificate-authority: $account/ca.crt } }
users:
    - { name: own, user: { tokenFile: $account/token } }
contexts:
    - { name: own, context: { cluster: own, user: own } }
current-context: own
LOGIN
k() { /host/kubectl --kubeconfig="$login" --request-timeout="${patience}s" "$@"; }
# name, podCIDR and address of every node
nodes() {
    k get nodes -o jsonpath='{range .items[*]}{.metadata.name} {.spec.podCIDR} {.status.addresses[?(@.type=="InternalIP")].address}{"\n"}{end}'
}
# pods reach the world as their node; among themselves as themselves
masquerade() {
    iptables -w 5 -t nat "$1" POSTROUTING -s "$POD_CIDR" ! -d "$POD_CIDR" -m addrtype ! --dst-type LOCAL \
        -m comment --comment podnet -j MASQUERADE
}
accept() {
    iptables -w 5 "$1" FORWARD "$2" "$POD_CIDR" -m comment --comment podnet -j ACCEPT
}
write_conflist() {
    printf '%s\n' "$CONFLIST" | sed "s|@SUBNET@|$1|" > "$conflist.new"
    cmp -s "$conflist.new" "$conflist" || { mv "$conflist.new" "$conflist"; echo "pod network of this node: $1"; }
}
trap 'exit 0' TERM INT
known=
# A question asked before kube-proxy has made its rules never gets an answer: short ones at the beginning.
patience=1
while :; do
    masquerade -C 2>/dev/null || masquerade -A
    for side in -s -d; do accept -C $side 2>/dev/null || accept -I $side; done
    if now=$(nodes) && [ -n "$now" ]; then
        if [ "$now" != "$known" ]; then
            echo "$now" | while read -r name subnet address; do
                [ -n "$address" ] || continue
                if [ "$name" = "$NODE" ]; then write_conflist "$subnet"
                else ip route replace "$subnet" via "$address" metric 4244 || echo "no route to $subnet via $address"
                fi
            done
            # routes to nodes that are gone
            ip route show | grep ' metric 4244' | while read -r subnet _ address _; do
                echo "$now" | grep -q " $subnet $address\$" || ip route del "$subnet" via "$address" metric 4244
            done
            known=$now
        fi
        wait=5
        patience=5
    else
        wait=1
        [ "$patience" -ge 5 ] || patience=$((patience + 1))
    fi
    sleep $wait &
    wait $!
done
