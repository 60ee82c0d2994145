#!/bin/bash
# layer-server.sh ROOT: settings of cloud-init and of the network for servers of the cloud.
set -euo pipefail
root=$1
cat >"$root/etc/cloud/cloud.cfg.d/90_lab.cfg" <<'CONFIG'
datasource_list: [ConfigDrive, None]
system_info:
  network:
    renderers: [networkd]
growpart: {mode: "off"}
resize_rootfs: false
apt: {preserve_sources_list: true}
locale: false
manage_etc_hosts: localhost
ssh_genkeytypes: [ed25519]
CONFIG
# The search for a data source is settled.
printf 'policy: enabled\ndatasource: ConfigDrive\n' >"$root/etc/cloud/ds-identify.cfg"
# Nodes of a lab have their addresses before they start, servers get them by DHCP.
rm -f "$root/etc/systemd/system/systemd-networkd-wait-online.service"
chroot "$root" systemctl -q enable systemd-networkd.service
# The installation of cloud-init's packages has disabled it with all other services.
[ ! -e "$root/usr/lib/systemd/system/kubelet.service" ] || chroot "$root" systemctl -q enable containerd.service
printf 'UseDNS no\n' >"$root/etc/ssh/sshd_config.d/lab.conf"
# Nobody listens there: look-ups fail at once.
rm -f "$root/etc/resolv.conf" "$root/etc/hostname"
# An address that refuses at once. Not loopback: pods would inherit it, and CoreDNS would ask itself.
printf 'nameserver 172.24.4.1\noptions timeout:1 attempts:1\n' >"$root/etc/resolv.conf"
printf '127.0.0.1 localhost\n::1 localhost ip6-localhost\n' >"$root/etc/hosts"
: >"$root/etc/machine-id"
rm -f "$root"/etc/ssh/ssh_host_*
