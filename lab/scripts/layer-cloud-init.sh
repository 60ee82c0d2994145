#!/bin/bash
# layer-cloud-init.sh ROOT: settings of cloud-init for nodes that find their user data in a folder (data source NoCloud).
set -euo pipefail
root=$1
# The lab itself gives a node its name, host key, logins and network before it starts.
cat >"$root/etc/cloud/cloud.cfg.d/90_lab.cfg" <<'CONFIG'
datasource_list: [NoCloud, None]
network: {config: disabled}
ssh_deletekeys: false
ssh_genkeytypes: []
users: []
disable_root: false
manage_etc_hosts: false
growpart: {mode: "off"}
resize_rootfs: false
apt: {preserve_sources_list: true}
locale: false
CONFIG
printf 'policy: enabled\ndatasource: NoCloud\n' >"$root/etc/cloud/ds-identify.cfg"
# The installation of cloud-init's packages has disabled it with all other services.
[ ! -e "$root/usr/lib/systemd/system/kubelet.service" ] || chroot "$root" systemctl -q enable containerd.service
