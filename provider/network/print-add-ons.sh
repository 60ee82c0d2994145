#!/bin/sh
# print-add-ons.sh: prints what is wrong with the cluster's add-ons, on a control-plane node, as lines name=value.
# inputs: ADD_ONS (namespaces and names of Deployments and DaemonSets, separated by spaces)

. shell/lib/as-administrator.sh

. network/lib/dns-answers.sh

k() { kubectl -n kube-system --request-timeout=10s "$@"; }
kubectl --request-timeout=10s get deployments,daemonsets -A \
    -o jsonpath='{range .items[*]}{.metadata.namespace}/{.metadata.name}|{.kind}|{.spec.replicas}{.status.desiredNumberScheduled}|{.status.availableReplicas}{.status.numberAvailable}{"\n"}{end}' |
    awk -F '|' -v names=" $ADD_ONS " 'index(names, " " $1 " ") && $3 > 0 && $4 + 0 == 0 { print "unavailable=" $2 " " $1 }'
kubectl --request-timeout=10s get nodes -o jsonpath='{range .items[*]}{.metadata.name} {.status.conditions[?(@.type=="Ready")].status}{"\n"}{end}' |
    awk '$2 != "True" { print "notReady=" $1 }'
crashing_dns | sed 's/^/crashing=/'
echo "dns=$(dns_answer)"
