#!/bin/sh
# fetch-packages.sh: reads the lists of the repositories and downloads the packages that are due. Nothing is installed.
# inputs: PACKAGES
# shellcheck disable=SC2086 # lists of names

. kubeadm/os/os-packages.sh

. kubeadm/os/finish-dpkg.sh

if is_apt; then
    # apt downloads nothing while it is so
    finish_dpkg
    os_apt update
else
    dnf -q makecache
fi
os_changes
os_refuse_removal
[ -n "$words" ] || exit 0
if is_apt; then os_apt -y -d --no-remove $words; else os_dnf -y upgrade --downloadonly $words; fi
