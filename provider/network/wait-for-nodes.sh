#!/bin/sh
# wait-for-nodes.sh: waits until all nodes are Ready, on a control-plane node; prints why the others are not.
# inputs: NODES (names, one a line)
# inputs: SECONDS_TO_WAIT (at most)

. shell/lib/as-administrator.sh

. network/lib/pod-events.sh

end=$(($(date +%s) + SECONDS_TO_WAIT))
# hears of it at once; who is no node yet makes it fail
# shellcheck disable=SC2046,SC2086 # lists of names
if kubectl wait --for=condition=Ready --timeout="$SECONDS_TO_WAIT"s $(printf 'node/%s ' $NODES) >/dev/null 2>&1; then exit 0; fi
while :; do
    ready=$(kubectl --request-timeout=10s get nodes \
        -o jsonpath='{range .items[*]}{.metadata.name} {.status.conditions[?(@.type=="Ready")].status}{"\n"}{end}' || true)
    missing=
    for node in $NODES; do
        printf '%s\n' "$ready" | grep -qxF "$node True" || missing="$missing $node"
    done
    [ -n "$missing" ] || exit 0
    [ "$(date +%s)" -lt "$end" ] || break
    sleep 1
done
ready='{.status.conditions[?(@.type=="Ready")]'
for node in $missing; do
    if ! reason=$(kubectl --request-timeout=10s get node "$node" -o jsonpath="$ready.reason}: $ready.message}" 2>/dev/null); then
        echo "$node is no member of the cluster" >&2
        continue
    fi
    echo "$node is not Ready: $reason" >&2
    kubectl --request-timeout=10s -n kube-system get pods --field-selector "spec.nodeName=$node" --no-headers 2>/dev/null |
        awk '{ split($2, n, "/") } $3 != "Running" || n[1] != n[2] { print $1, $3, $2 }' |
        while read -r pod state count; do
            echo "    pod kube-system/$pod: $state, ready $count"
            pod_events kube-system "$pod" || true
        done >&2 || true
    echo "    look at: journalctl -u kubelet on $node; kubectl describe node $node; the pod network's pods there" >&2
done
exit 1
