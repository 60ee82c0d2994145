#!/bin/bash
# layer-lab.sh ROOT GUEST-FOLDER: the lab's own part of a node: user, masked units, what makes a container look like a VM.
set -euo pipefail
root=$1 guest=$2
units=$root/etc/systemd/system
grep -q '^debian:' "$root/etc/passwd" || chroot "$root" useradd -m -s /bin/bash -G sudo debian
echo 'debian ALL=(ALL) NOPASSWD:ALL' >"$root/etc/sudoers.d/90-cloud-user"
chmod 440 "$root/etc/sudoers.d/90-cloud-user"
: >"$root/etc/machine-id"
rm -f "$root"/etc/ssh/ssh_host_*

# Of no use here, or (the apt timers) holding apt's lock at a bad time.
for unit in sys-kernel-debug.mount sys-kernel-tracing.mount dev-hugepages.mount run-rpc_pipefs.mount proc-fs-nfsd.mount \
    apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer e2scrub_reap.service dpkg-db-backup.timer \
    console-getty.service systemd-timesyncd.service networking.service ifupdown-pre.service systemd-networkd-wait-online.service \
    rpc-statd.service rpc-statd-notify.service rpc-gssd.service nfs-blkmap.service; do
    ln -sf /dev/null "$units/$unit"
done

mkdir -p "$root/usr/local/lib/nfv-lab" "$units/sysinit.target.wants" "$root/usr/local/sbin" \
    "$root/etc/systemd/journald.conf.d" "$root/etc/systemd/system.conf.d"
install -m 755 "$guest/boot.sh" "$guest/conntrack-hook.sh" "$root/usr/local/lib/nfv-lab/"
install -m 755 "$guest/runc" "$root/usr/local/sbin/runc"
install -m 644 "$guest/nfv-lab.service" "$units/nfv-lab.service"
ln -sf ../nfv-lab.service "$units/sysinit.target.wants/nfv-lab.service"
printf '[Journal]\nStorage=volatile\nRuntimeMaxUse=16M\n' >"$root/etc/systemd/journald.conf.d/lab.conf"
# A clean reboot would wait 90 s for containerd's shims.
printf '[Manager]\nDefaultTimeoutStopSec=5s\n' >"$root/etc/systemd/system.conf.d/lab.conf"

# modprobe must succeed for what this kernel has built in: there are no module files here.
modules=$root/lib/modules/$(uname -r)
mkdir -p "$modules"
for module in net/bridge/br_netfilter fs/overlayfs/overlay net/netfilter/nf_conntrack drivers/block/loop \
    drivers/net/vxlan/vxlan fs/fuse/fuse net/ipv4/netfilter/ip_tables net/netfilter/ipset/ip_set; do
    echo "kernel/$module.ko"
done >"$modules/modules.builtin"
: >"$modules/modules.order"
chroot "$root" depmod "$(uname -r)" 2>/dev/null || true
