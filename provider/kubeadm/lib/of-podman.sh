#!/bin/sh
# of-podman.sh: is_of_podman NAME tells whether this file or folder of /etc/cni/net.d belongs to podman or nerdctl, whose containers live beside a cluster.
# `podman network create shop` writes shop.conflist, so names do not tell.

is_of_podman() {
    case $1 in *podman* | *nerdctl*) return 0 ;; esac
    # nerdctl has a folder for each of its namespaces
    if [ -n "$(find "/etc/cni/net.d/$1" -mindepth 1 -name '*nerdctl*' 2>/dev/null)" ]; then return 0; fi
    grep -rqE 'cni-podman|podman_labels|nerdctl(ID|Labels|/)' "/etc/cni/net.d/$1" 2>/dev/null
}
