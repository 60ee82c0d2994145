#!/bin/bash
# layer-base.sh TARGET SUITE SOURCES-FILE: what a Debian cloud image has. Nothing of Kubernetes, no HAProxy, no iptables.
set -euo pipefail
target=$1 suite=$2 sources=$3
packages=systemd,systemd-sysv,dbus,libpam-systemd,libnss-myhostname,openssh-server,sudo,python3-minimal,iproute2,iputils-ping
packages+=,netbase,ifupdown,curl,ca-certificates,netcat-openbsd,e2fsprogs,kmod,procps,less,apt-utils,util-linux-extra,psmisc,tar,gzip,xz-utils,zstd
exec mmdebstrap --variant=minbase --mode=root --include="$packages" \
    --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' \
    --aptopt='Acquire::Languages "none"' \
    "$suite" "$target" "$sources"
