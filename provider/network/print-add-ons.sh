#!/bin/sh
# print-add-ons.sh: prints what is wrong with the cluster's add-ons, on a control-plane node, as lines name=value.
# inputs: ADD_ONS (namespaces and names of Deployments and DaemonSets, separated by spaces)

. shell/lib/as-administrator.sh

. network/lib/dns-answers.sh

k() { kubectl -n kube-system --request-timeout=10s "$@"; }
# an API that does not answer makes this script fail: then nothing is known of the add-ons
look() {
    workloads=$(kubectl --request-timeout=10s get deployments,daemonsets -A \
        -o jsonpath='{range .items[*]}{.metadata.namespace}/{.metadata.name}|{.kind}|{.spec.replicas}{.status.desiredNumberScheduled}|{.status.availableReplicas}{.status.numberAvailable}{"\n"}{end}')
    nodes=$(kubectl --request-timeout=10s get nodes -o jsonpath='{range .items[*]}{.metadata.name} {.status.conditions[?(@.type=="Ready")].status}{"\n"}{end}')
    dns=$(dns_answer)
    case $dns in unknown*) echo "$dns" >&2; exit 1 ;; esac
    printf '%s\n' "$workloads" | awk -F '|' -v names=" $ADD_ONS " 'index(names, " " $1 " ") && $3 > 0 && $4 + 0 == 0 { print "unavailable=" $2 " " $1 }'
    printf '%s\n' "$nodes" | awk 'NF && $2 != "True" { print "notReady=" $1 }'
    crashing_dns | sed 's/^/crashing=/'
    # of a DaemonSet that is available elsewhere
    for namespace in $(printf '%s\n' "$ADD_ONS" | tr ' ' '\n' | cut -d / -f 1 | sort -u); do
        kubectl --request-timeout=10s -n "$namespace" get pods \
            -o jsonpath='{range .items[*]}{.metadata.namespace}/{.metadata.ownerReferences[0].name} {.spec.nodeName} {.status.containerStatuses[*].state.waiting.reason}{"\n"}{end}'
    done | awk -v names=" $ADD_ONS " 'index(names, " " $1 " ") && $3 ~ /BackOff|Err/ { print "failing=" $1 " " $2 " " $3 }'
    echo "dns=$dns"
}
# pods that just move are away for a moment: only what three looks in a row find is a finding
for again in yes yes no; do
    found=$(look)
    case $found in *unavailable=* | *crashing=* | *failing=* | *dns=silent*) ;; *) break ;; esac
    [ $again = no ] || sleep 2
done
printf '%s\n' "$found"
