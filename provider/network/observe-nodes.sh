#!/bin/sh
# observe-nodes.sh: looks which nodes are not Ready, on a control-plane node.
# inputs: NODES (names, one a line)

. shell/lib/as-administrator.sh

. shell/lib/observed.sh

ready=$(kubectl --request-timeout=5s get nodes \
    -o jsonpath='{range .items[*]}{.metadata.name} {.status.conditions[?(@.type=="Ready")].status}{"\n"}{end}')
for node in $NODES; do
    printf '%s\n' "$ready" | grep -qxF "$node True" || differs "$node is not Ready"
done
