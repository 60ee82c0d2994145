#!/bin/sh
# print-node-readiness.sh: prints the status of the node's condition Ready, or "none" if the cluster has no such node.
# inputs: NODE (its name)

. shell/lib/as-administrator.sh

kubectl get node "$NODE" --ignore-not-found -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}' --request-timeout=20s
# not in a pipe: a question that fails is no answer
found=$(kubectl get node "$NODE" --ignore-not-found -o name --request-timeout=20s)
[ -n "$found" ] || echo none
