#!/bin/bash
# in-image.sh LOWER-FOLDERS CGROUP-FOLDERS [OUTSIDE:INSIDE ...] -- COMMAND: runs a service from an image.
# Started in a mount namespace of its own: all mounts end with the command.
set -eu
lower=$1 groups=$2
shift 2
for group in $groups; do echo $$ >"$group/cgroup.procs"; done
root=/run
mount -t tmpfs tmpfs "$root"
mkdir "$root/upper" "$root/work" "$root/image"
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$root/upper,workdir=$root/work" "$root/image"
mount -t proc proc "$root/image/proc"
mount --rbind /dev "$root/image/dev"
while [ "$1" != -- ]; do
    mkdir -p "$root/image${1#*:}"
    mount --bind "${1%%:*}" "$root/image${1#*:}"
    shift
done
shift
cp /etc/resolv.conf "$root/image/etc/resolv.conf"
exec chroot "$root/image" "$@"
