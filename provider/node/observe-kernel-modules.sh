#!/bin/sh
# observe-kernel-modules.sh: looks whether the kernel has what the modules bring.

. shell/lib/observed.sh

grep -qw overlay /proc/filesystems || differs "the kernel does not know the file system overlay"
[ -e /proc/sys/net/bridge/bridge-nf-call-iptables ] || differs "br_netfilter is not loaded"
