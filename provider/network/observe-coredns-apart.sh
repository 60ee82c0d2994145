#!/bin/sh
# observe-coredns-apart.sh: looks whether CoreDNS still keeps its replicas apart, on a control-plane node.
# constants: PATCH (JSON)

. shell/lib/as-administrator.sh

. shell/lib/observed.sh

k() { kubectl -n kube-system --request-timeout=5s "$@"; }
seen=$(k get deployment coredns --ignore-not-found -o 'jsonpath={.spec}')
[ -n "$seen" ] || exit 0
# shellcheck disable=SC2153 # a constant
wanted=$(k patch deployment coredns --type strategic -p "$PATCH" --dry-run=server -o 'jsonpath={.spec}')
[ "$seen" = "$wanted" ] || differs "CoreDNS may put its replicas on one node"
