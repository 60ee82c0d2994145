#!/bin/sh
# print-readiness.sh: prints what an upgrade needs to know of the cluster, one fact a line. It changes nothing.
# inputs: ADDRESSES (of the API servers, one a line) DEPRECATED (yes: which removed APIs are still asked for)

. shell/lib/as-administrator.sh

. kubeadm/lib/cluster-version.sh

k() { kubectl --request-timeout=20s "$@"; }
k get nodes -o 'jsonpath={range .items[*]}node {.metadata.name} {.status.nodeInfo.kubeletVersion} {.status.conditions[?(@.type=="Ready")].status}{"\n"}{end}'
cluster_version 20s | sed 's/^/cluster /'
k get poddisruptionbudgets -A -o 'jsonpath={range .items[*]}budget {.metadata.namespace}/{.metadata.name} {.status.expectedPods} {.status.desiredHealthy}{"\n"}{end}'
[ "$DEPRECATED" = yes ] || exit 0
# each API server counts for itself, since its start
for address in $ADDRESSES; do
    k --server "https://$address:6443" get --raw /metrics |
        sed -n 's/^apiserver_requested_deprecated_apis{\(.*\)} 1$/\1/p' | while read -r labels; do
            label() { printf '%s\n' "$labels" | sed -n "s/.*\(^\|,\)$1=\"\([^\"]*\)\".*/\2/p"; }
            echo "deprecated $(label removed_release) $(label resource).$(label version).$(label group)"
        done
done
