#!/bin/sh
# print-other-nodes.sh: prints the Nodes that the cluster has and the program does not.
# inputs: NODES (names of the program's nodes, one a line)
# constants: ADMIN_CONFIG

. shell/lib/as-administrator.sh

kubectl --request-timeout=20s get nodes -o 'jsonpath={range .items[*]}{.metadata.name}{"\n"}{end}' | grep -vxF -- "$NODES" || true
