#!/bin/sh
# What a person types on a new server to serve a volume again: serve-volume.sh DISK. It ends when the export can be mounted.
set -eu
disk=$1
until [ -b "$disk" ]; do sleep 0.2; done
export DEBIAN_FRONTEND=noninteractive
command -v exportfs >/dev/null || { apt-get -qq update; apt-get -qq install -y --no-install-recommends nfs-kernel-server xfsprogs; } >/dev/null
mkdir -p /srv/volume /exports/data /mnt/try
mount "$disk" /srv/volume
mount --bind /srv/volume/exports/data /exports/data
echo "/exports/data *(rw,sync,no_subtree_check)" >/etc/exports
systemctl restart nfs-server
exportfs -ra
until mount -t nfs -o nfsvers=3,ro 127.0.0.1:/exports/data /mnt/try 2>/dev/null; do sleep 0.2; done
umount /mnt/try
