#!/bin/sh
# dns-answers.sh: functions that ask the cluster's DNS, on a control-plane node whose `k` is kubectl for kube-system.
# dns_answer prints what it says about the API's own name: "answers", "silent" with the reason, "absent" if the cluster has none of ours,
# "unasked" with the reason, or "unknown" while the API does not answer.
# crashing_dns prints the pods of CoreDNS that end again and again, with the reason.
# constants: DNS_QUESTION

dns_answer() {
    server=$(k get service kube-dns --ignore-not-found -o jsonpath='{.spec.clusterIP}') || { echo "unknown: the API does not answer"; return; }
    there=$(k get deployment coredns --ignore-not-found -o name) || { echo "unknown: the API does not answer"; return; }
    if [ -z "$server" ] || [ -z "$there" ]; then echo absent; return; fi
    command -v python3 >/dev/null || { echo "unasked, because the node has no python3"; return; }
    # the zone of the cluster stands behind the plugin's name
    domain=$(k get configmap coredns -o jsonpath='{.data.Corefile}' | awk '$1 == "kubernetes" { print $2; exit }')
    case $domain in '' | *[!A-Za-z0-9.-]*) domain=cluster.local ;; esac
    python3 -c "$DNS_QUESTION" "$server" "kubernetes.default.svc.$domain" 3
}
crashing_dns() {
    k get pods -l k8s-app=kube-dns -o jsonpath='{range .items[*]}{.metadata.name} {.status.containerStatuses[*].state.waiting.reason}{"\n"}{end}' |
        awk '$2 ~ /BackOff|Err/ { print $1 ": " $2 }'
}
