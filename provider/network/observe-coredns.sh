#!/bin/sh
# observe-coredns.sh: looks whether CoreDNS answers, on a control-plane node.

. shell/lib/as-administrator.sh

. shell/lib/observed.sh

k() { kubectl -n kube-system --request-timeout=5s "$@"; }
there=$(k get deployment coredns --ignore-not-found -o name)
[ -n "$there" ] || exit 0
replicas=$(k get deployment coredns -o jsonpath='{.status.availableReplicas}')
[ "${replicas:-0}" -ge 1 ] || differs "no replica of CoreDNS is available"
