#!/bin/sh
# Runs in the mount namespace of a kube-proxy container, before its root is entered (hook createContainer).
# nf_conntrack_max is read-only outside the machine's own network namespace: a plain file takes its place.
state=$(cat)
bundle=${state#*\"bundle\":\"}
bundle=${bundle%%\"*}
target=$bundle/rootfs/proc/sys/net/netfilter/nf_conntrack_max
[ -e "$target" ] && mount --bind /run/nfv-lab/over/proc/sys/net/netfilter/nf_conntrack_max "$target"
exit 0
