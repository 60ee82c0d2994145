#!/bin/bash
# layer-nfs.sh ROOT NFS-FOLDER: puts stand-ins at the places of NFS server and client. Packages that are installed later keep off these places.
set -euo pipefail
root=$1 folder=$2
own=$root/usr/local/lib/nfv-lab
divert() { chroot "$root" dpkg-divert --quiet --local --rename --divert "$2" --add "$1"; }

# Both client programs: kubelet and mount call /sbin/mount.nfs, nfs4 is a link to it.
for name in mount.nfs mount.nfs4; do
    divert "/sbin/$name" "/sbin/$name.kernel"
    ln -sf /usr/local/lib/nfv-lab/mount.nfs "$root/sbin/$name"
done
mv "$root/usr/local/sbin/runc" "$root/usr/local/sbin/runc.lab"
install -m 755 "$folder/runc" "$root/usr/local/sbin/runc"
divert /usr/sbin/exportfs /usr/sbin/exportfs.kernel
install -m 755 "$folder/exportfs" "$root/usr/sbin/exportfs"
install -m 755 "$folder/write-ganesha-config" "$folder/wait-for-ganesha" "$own/"
install -m 644 "$folder/nfs-server.service" "$root/etc/systemd/system/nfs-server.service"
mkdir -p "$root/etc/ganesha"
chroot "$root" systemctl -q disable nfs-ganesha.service nfs-ganesha-lock.service 2>/dev/null || true
ln -sf /dev/null "$root/etc/systemd/system/nfs-ganesha.service"
# Package scripts call these for the kernel's server; here they could only fail.
for unit in proc-fs-nfsd.mount nfs-mountd.service nfs-idmapd.service nfsdcld.service; do
    ln -sf /dev/null "$root/etc/systemd/system/$unit"
done
