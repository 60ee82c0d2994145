#!/bin/sh
# print-nodes.sh: prints each node of the cluster: name, whether it is Ready, and "ours" if our drain cordoned it and it still is. It changes nothing.
# constants: CORDONED_ANNOTATION_ESCAPED

. shell/lib/as-administrator.sh

kubectl --request-timeout=20s get nodes -o 'jsonpath={range .items[*]}node {.metadata.name} {.status.conditions[?(@.type=="Ready")].status} {.metadata.annotations.'"$CORDONED_ANNOTATION_ESCAPED"'} {.spec.unschedulable}{"\n"}{end}' |
    sed 's/ leaving true$/ ours/'
