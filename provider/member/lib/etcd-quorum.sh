#!/bin/sh
# etcd-quorum.sh: refuse_without_quorum AWAY ends the script where etcd is not healthy on all control-plane nodes: its member here is about to restart. Members
# in AWAY, by their names or their URLs for other members, are not asked.
# constants: QUORUM_AT_RISK

. kubeadm/lib/etcdctl.sh

# AWAY: a member that has not started yet has no URL for clients, and is not healthy
others_are_healthy() {
    listed=$(e member list) || return 1
    asked=$(printf '%s\n' "$listed" | awk -F ', ' -v away=" $1 " '
        NF > 4 && !index(away, " " $3 " ") && !index(away, " " $4 " ") { print $5 == "" ? "none" : $5 }' | paste -s -d , -)
    [ -n "$asked" ] && e endpoint health --endpoints="$asked" >/dev/null 2>&1
}
refuse_without_quorum() {
    if [ -n "${1-}" ]; then
        if others_are_healthy "$1"; then return 0; fi
    elif e endpoint health --cluster >/dev/null 2>&1; then return 0; fi
    echo "etcd is not healthy on all masters${1:+ but those that are away ($1)}: a restart of it here could cost the quorum" >&2
    exit "$QUORUM_AT_RISK"
}
