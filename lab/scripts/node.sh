#!/bin/bash
# node.sh FOLDER: runs one node until it powers off. Restarts it after a reboot: with --keep-unit nspawn ends with 133 then.
set -u
folder=$1
# shellcheck disable=SC1091 # made at run time
. "$folder/node.env"

remove_network() {
    ip -n "$LAB_NAMESPACE" link del "$PORT" 2>/dev/null
    ip netns del "$NAMESPACE" 2>/dev/null
}

# Anew at every boot: the namespace would keep virtual addresses, rules and bridges over a power off.
make_network() {
    remove_network
    ip netns add "$NAMESPACE" || return
    ip -n "$LAB_NAMESPACE" link add "$PORT" type veth peer name eth0 address "$MAC" netns "$NAMESPACE" || return
    [ -e "$folder/cut" ] || ip -n "$LAB_NAMESPACE" link set "$PORT" master br0
    ip -n "$LAB_NAMESPACE" link set "$PORT" up
    ip -n "$NAMESPACE" link set lo up
    ip -n "$NAMESPACE" addr add "$ADDRESS/24" dev eth0
    ip -n "$NAMESPACE" link set eth0 up
    ip -n "$NAMESPACE" route add default via "$GATEWAY"
}

# cAdvisor waits three seconds for each pod cgroup of an earlier life before kubelet starts anything.
remove_old_cgroups() {
    for group in $CGROUPS; do find "$group" -mindepth 1 -depth -type d -exec rmdir {} \; 2>/dev/null; done
}

trap '' HUP
export SYSTEMD_NSPAWN_API_VFS_WRITABLE=network SYSTEMD_SECCOMP=0
while :; do
    remove_old_cgroups
    make_network || break
    (
        for group in $CGROUPS; do echo "$BASHPID" >"$group/cgroup.procs"; done
        # shellcheck disable=SC2086 # a list of options
        exec systemd-nspawn --quiet --boot --register=no --keep-unit --settings=no \
            --machine="$NAMESPACE" --hostname="$NODE" --directory="$folder/root" \
            --network-namespace-path="/run/netns/$NAMESPACE" \
            --resolv-conf=off --timezone=off --link-journal=no --console=read-only \
            --capability=all --drop-capability=CAP_SYS_TIME,CAP_SYS_MODULE,CAP_SYS_RAWIO \
            --bind="$folder/guest:/run/nfv-lab" $BINDS
    ) </dev/null >>"$folder/console.log" 2>&1
    [ $? = 133 ] || break
done
remove_network
