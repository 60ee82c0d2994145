#!/bin/sh
# load-kernel-modules.sh: loads the modules for container file systems and bridged pod traffic.

# built into the kernel, or of the machine under a container: what counts is that it is there
modprobe overlay || grep -qw overlay /proc/filesystems
modprobe br_netfilter || [ -e /proc/sys/net/bridge/bridge-nf-call-iptables ]
