#!/bin/sh
# spread-coredns.sh: spreads CoreDNS over several nodes once there are some, on a control-plane node: kubeadm starts both
# replicas on the first one, so its loss would stop DNS. If all pods share a node and another node could take them, all
# but one are deleted, once: the template prefers different nodes, and the remaining pod answers meanwhile. If they end up
# together again, that is accepted. Waits until CoreDNS is available, stays so, and answers.
# inputs: SECONDS_TO_WAIT (at most)
# constants: STEADY_SECONDS

. shell/lib/as-administrator.sh

. network/lib/dns-answers.sh

. network/lib/pod-events.sh

k() { kubectl -n kube-system --request-timeout=20s "$@"; }
k get deployment coredns >/dev/null 2>&1 || exit 0
# Prints how many nodes could take a replica: Ready, not cordoned, without a taint that CoreDNS does not bear; a node that is ready
# just now may not have lost its taint yet.
takers() {
    k get nodes -o jsonpath='{range .items[*]}{.spec.unschedulable}|{.status.conditions[?(@.type=="Ready")].status}|{range .spec.taints[*]}{.key}:{.effect},{end}{"\n"}{end}' |
        awk -F '|' '$1 == "true" || $2 != "True" { next }
            { gsub(/(node-role.kubernetes.io\/control-plane|node.kubernetes.io\/not-ready):[A-Za-z]*,|[^,]*:PreferNoSchedule,/, "", $3) }
            $3 == "" { n++ } END { if (NR == 0) exit 1; print n + 0 }'
}
# One replica has to do where the others have no node of their own, or stand on one that is dead: it may be about to leave.
one_has_to_do() {
    replicas=$(k get deployment coredns -o jsonpath='{.status.availableReplicas}')
    [ "${replicas:-0}" -ge 1 ] || return 1
    n=$(takers) || return 1
    [ "$n" -gt "$replicas" ] || return 0
    k get nodes -o jsonpath='{range .items[*]}{.status.conditions[?(@.type=="Ready")].status}{"\n"}{end}' | grep -qvx True
}
available() {
    end=$(($(date +%s) + SECONDS_TO_WAIT))
    until kubectl -n kube-system rollout status deployment coredns --timeout=10s; do
        if one_has_to_do; then return; fi
        if [ "$(date +%s)" -lt "$end" ]; then sleep 2; continue; fi
        say_why "CoreDNS is not available"
    done
}
# What a person would ask next. A loop means that the nodes' resolv.conf names a loopback address.
say_why() {
    echo "$1" >&2
    k get pods -l k8s-app=kube-dns -o wide >&2
    for pod in $(k get pods -l k8s-app=kube-dns -o jsonpath='{.items[*].metadata.name}'); do pod_events kube-system "$pod" >&2 || true; done
    k logs -l k8s-app=kube-dns --tail=5 --prefix >&2
    k logs -l k8s-app=kube-dns --tail=5 --prefix --previous >&2 || true
    exit 1
}
# One that ends again and again is ready for a moment each time: the youngest container must have run for a while.
young() {
    k get pods -l k8s-app=kube-dns --field-selector=status.phase=Running -o jsonpath='{range .items[*]}{.status.containerStatuses[0].state.running.startedAt}{"\n"}{end}' |
        while read -r began; do
            [ -n "$began" ] || continue
            [ $(($(date +%s) - $(date -d "$began" +%s))) -ge "$STEADY_SECONDS" ] || echo young
        done | head -n 1
}
proven() {
    end=$(($(date +%s) + SECONDS_TO_WAIT))
    said=
    while :; do
        crashing=$(crashing_dns)
        if [ -z "$crashing" ] && [ -z "$(young)" ]; then
            said=$(dns_answer)
            case $said in silent* | unknown*) ;; *) return 0 ;; esac
        fi
        [ "$(date +%s)" -lt "$end" ] || say_why "the cluster's DNS is not well: ${crashing:-$said}"
        sleep 1
    done
}
apart() {
    n=$(takers)
    [ "$n" -gt 1 ] || return 0
    pods=$(k get pods -l k8s-app=kube-dns --field-selector=status.phase=Running \
        -o jsonpath='{range .items[*]}{.metadata.deletionTimestamp}|{.spec.nodeName}|{.metadata.name}{"\n"}{end}' | grep '^|' || true)
    [ "$(printf '%s\n' "$pods" | grep -c .)" -gt 1 ] || return 0
    [ "$(printf '%s\n' "$pods" | cut -d '|' -f 2 | sort -u | wc -l)" -eq 1 ] || return 0
    # shellcheck disable=SC2046 # a list of names
    k delete pod $(printf '%s\n' "$pods" | sed 1d | cut -d '|' -f 3)
    available
}
available
apart
proven
