#!/bin/sh
# print-pods-on.sh: prints the node's readiness and its pods, one a line: "node READY", "pod NAMESPACE/NAME PHASE READY". It changes nothing.
# inputs: NAME

. shell/lib/as-administrator.sh

k() { kubectl --request-timeout=20s "$@"; }
k get node "$NAME" -o 'jsonpath=node {.status.conditions[?(@.type=="Ready")].status}{"\n"}'
k get pods -A --field-selector "spec.nodeName=$NAME" -o 'jsonpath={range .items[*]}pod {.metadata.namespace}/{.metadata.name} {.status.phase} {.status.conditions[?(@.type=="Ready")].status}{"\n"}{end}'
