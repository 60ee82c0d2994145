#!/bin/sh
# keep-coredns-apart.sh: never puts two replicas of CoreDNS on one node, on a control-plane node: the second waits for a
# second node.
# constants: PATCH (JSON)

. shell/lib/as-administrator.sh

kubectl -n kube-system get deployment coredns >/dev/null 2>&1 || exit 0
# shellcheck disable=SC2153 # a constant
kubectl -n kube-system patch deployment coredns --type strategic -p "$PATCH"
