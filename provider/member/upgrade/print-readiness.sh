#!/bin/sh
# print-readiness.sh: prints what an upgrade needs to know of the cluster, one fact a line. It changes nothing.
# inputs: ADDRESSES (of the API servers, one a line) DEPRECATED (yes: which removed APIs are still asked for) DISKS (yes: how full the nodes' disks are)

. shell/lib/as-administrator.sh

. member/lib/cluster-version.sh

k() { kubectl --request-timeout=20s "$@"; }
k get nodes -o 'jsonpath={range .items[*]}node {.metadata.name} {.status.nodeInfo.kubeletVersion} {.status.conditions[?(@.type=="Ready")].status} {.status.nodeInfo.containerRuntimeVersion}{"\n"}{end}'
cluster_version 20s | sed 's/^/cluster /'
k get poddisruptionbudgets -A -o 'jsonpath={range .items[*]}budget {.metadata.namespace}/{.metadata.name} {.status.expectedPods} {.status.desiredHealthy}{"\n"}{end}'
# available and all bytes of kubelet's disk, then of that of the images, as kubelet counts them
disk_of() {
    k --request-timeout=5s get --raw "/api/v1/nodes/$1/proxy/stats/summary" 2>/dev/null | tr '{},' '[\n*]' | awk -v node="$1" '
        /"pods": *\[/ { exit }
        /": *$/ { gsub(/[": \t]/, ""); kind = $0; next }
        /"(available|capacity)Bytes":/ { gsub(/[" \t]/, ""); split($0, part, ":"); bytes[kind, part[1]] = part[2] }
        END {
            a = "availableBytes"; c = "capacityBytes"
            print "disk", node, bytes["fs", a], bytes["fs", c], bytes["imageFs", a], bytes["imageFs", c]
        }'
}
if [ "$DISKS" = yes ]; then
    # nodes that do not answer must not take the time of the rest
    until=$(($(date +%s) + 20)) running=0
    for node in $(k get nodes -o 'jsonpath={range .items[*]}{.metadata.name}{"\n"}{end}'); do
        [ "$(date +%s)" -lt "$until" ] || break
        disk_of "$node" &
        running=$((running + 1))
        [ $((running % 8)) != 0 ] || wait
    done
    wait
fi
[ "$DEPRECATED" = yes ] || exit 0
# each API server counts for itself, since its start
for address in $ADDRESSES; do
    k --server "https://$address:6443" get --raw /metrics |
        sed -n 's/^apiserver_requested_deprecated_apis{\(.*\)} 1$/\1/p' | while read -r labels; do
            label() { printf '%s\n' "$labels" | sed -n "s/.*\(^\|,\)$1=\"\([^\"]*\)\".*/\2/p"; }
            echo "deprecated $(label removed_release) $(label resource).$(label version).$(label group)"
        done
done
