#!/bin/bash
# layer-machine.sh ROOT: the lab's own part of a virtual machine. Everything else is as Debian makes it.
set -euo pipefail
root=$1
chroot "$root" useradd -m -s /bin/bash -G sudo debian
echo 'debian ALL=(ALL) NOPASSWD:ALL' >"$root/etc/sudoers.d/90-cloud-user"
chmod 440 "$root/etc/sudoers.d/90-cloud-user"
echo '/dev/vda / ext4 defaults,noatime 0 1' >"$root/etc/fstab"
: >"$root/etc/machine-id"
rm -f "$root"/etc/ssh/ssh_host_*
chroot "$root" systemctl -q enable systemd-networkd ssh
# They would hold apt's lock, and the processor, at a bad time.
for unit in apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer e2scrub_reap.service dpkg-db-backup.timer \
    networking.service systemd-networkd-wait-online.service; do
    ln -sf /dev/null "$root/etc/systemd/system/$unit"
done
