#!/bin/sh
# Runs in the node before sysinit.target. /run/nfv-lab is the node's own folder on the host.
for folder in /sys/fs/cgroup /sys/fs/cgroup/*/; do mount -o remount,bind,rw "$folder" 2>/dev/null; done
[ -e /dev/kmsg ] || mknod /dev/kmsg c 1 11
[ -e /dev/fuse ] || { mknod /dev/fuse c 10 229 && chmod 666 /dev/fuse; }
mount --make-rshared /

# Plain files over what belongs to the whole machine: the node may write them, the machine keeps its values.
for tree in /run/nfv-lab/trees/*; do mount --bind "$tree" "/proc/sys/${tree##*/}"; done
(cd /run/nfv-lab/over && find . -type f) | while read -r file; do
    [ -e "/$file" ] && mount --bind "/run/nfv-lab/over/$file" "/$file"
done

[ -e /run/nfv-lab/disks ] && while read -r device id; do
    [ -e "/dev/$device" ] || continue
    mkdir -p /dev/disk/by-id
    ln -sfn "../../$device" "/dev/disk/by-id/$id"
done </run/nfv-lab/disks

# With a read-only /sys systemd takes no device entry of fstab.
mount -a -t nonfs,nonfs4 2>/dev/null
exit 0
