#!/bin/bash
# root.sh FOLDER LOWER-FOLDERS LAYERS PACKAGE-FOLDER GROUPS: the services' own root file system and process namespace; this is their
# process 1. Started in fresh mount, pid, ipc and uts namespaces inside the cloud's network namespace.
set -eu
folder=$1 lower=$2 layers=$3 package=$4 groups=$5
read -r pid _ </proc/self/stat # as seen outside, while /proc is still the machine's
for group in $groups; do echo $$ >"$group/cgroup.procs"; done
hostname nfv-cloud

mount -t tmpfs tmpfs "$folder/root"
mkdir "$folder/root/upper" "$folder/root/work" "$folder/root/image"
root=$folder/root/image
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$folder/root/upper,workdir=$folder/root/work" "$root"
mount -t proc proc "$root/proc"
# /sys/class/net shows the network of whoever mounted it: a fresh one, with the machine's cgroups.
mount -t sysfs sysfs "$root/sys"
mount --rbind /sys/fs/cgroup "$root/sys/fs/cgroup"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mkdir -p "$root"/{cloud,layers,scripts,python,machine,links,run/netns,run/lock}
mount --bind "$folder" "$root/cloud"
mount --bind "$layers" "$root/layers"
mount --bind "$package/scripts" "$root/scripts"
mount --bind "$package/python" "$root/python"
mount --rbind --make-rslave /tmp "$root/tmp"
# Hard links work only within one mount: both folders once more, by the file system that they share.
mount --bind "$(findmnt -no TARGET --target "$folder" | tail -n 1)" "$root/machine"
ln -s "/machine$folder" "$root/links/cloud"
ln -s "/machine$layers" "$root/links/layers"
cp "$package/scripts/ebtables.sh" "$root/usr/local/sbin/ebtables"
printf '127.0.0.1 localhost nfv-cloud\n' >"$root/etc/hosts"
rm -f "$root/etc/resolv.conf"
: >"$root/etc/resolv.conf"

cd "$root"
mkdir -p mnt/old
pivot_root . mnt/old
umount -l /mnt/old
cd /
echo "$pid" >/cloud/run/root.pid.new
mv /cloud/run/root.pid.new /cloud/run/root.pid
trap : HUP INT TERM
# Adopts and buries what the services leave; ends when it is killed, and all of them with it.
while :; do sleep 3600 & wait; done
