#!/bin/bash
# machine.sh FOLDER PORT SUPERVISOR-CGROUPS CGROUPS QEMU...: runs a virtual machine until it powers off. It is called in the lab's network.
set -eu
folder=$1 port=$2 supervisor=$3 groups=$4
shift 4
trap '' HUP
# The supervisor has a group of its own: a power off ends it before the machine.
for group in $supervisor; do echo $$ >"$group/cgroup.procs"; done
ip link del "$port" 2>/dev/null || true
ip tuntap add "$port" mode tap
[ -e "$folder/cut" ] || ip link set "$port" master br0
ip link set "$port" up
(
    for group in $groups; do echo "$BASHPID" >"$group/cgroup.procs"; done
    exec "$@"
) </dev/null || true
ip link del "$port"
