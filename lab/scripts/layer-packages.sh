#!/bin/bash
# layer-packages.sh ROOT PACKAGE...: installs packages into a mounted image; their services stay disabled and stopped.
set -euo pipefail
root=$1
shift
trap 'umount -l "$root/proc" 2>/dev/null || true' EXIT
mount -t proc proc "$root/proc"
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
rm -f "$root/etc/resolv.conf"
cp /etc/resolv.conf "$root/etc/resolv.conf"
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
chroot "$root" apt-get -q update
chroot "$root" apt-get -q install -y --no-install-recommends "$@"
chroot "$root" apt-get clean
rm -rf "$root"/var/lib/apt/lists/* "$root/usr/sbin/policy-rc.d"
# Packages enable their units; in a cloud image only what was asked for runs.
for unit in haproxy keepalived containerd rpcbind.service rpcbind.socket nfs-client.target nfs-server.service; do
    chroot "$root" systemctl -q disable "$unit" 2>/dev/null || true
done
