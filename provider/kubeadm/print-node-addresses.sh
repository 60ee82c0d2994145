#!/bin/sh
# print-node-addresses.sh: prints the internal addresses of a node, one a line; nothing if the cluster has no such node.
# inputs: NODE (its name)

. shell/lib/as-administrator.sh

kubectl get node "$NODE" --ignore-not-found --request-timeout=20s \
    -o 'jsonpath={range .status.addresses[?(@.type=="InternalIP")]}{.address}{"\n"}{end}'
