#!/bin/sh
# set-hostname.sh: makes the host name the node's name.
# inputs: NAME

# cloud-init would put its own name back at the next boot
if [ -d /etc/cloud/cloud.cfg.d ]; then echo 'preserve_hostname: true' > /etc/cloud/cloud.cfg.d/99-pulumi-nfv.cfg; fi
hostnamectl set-hostname "$NAME" 2>/dev/null || { printf '%s\n' "$NAME" > /etc/hostname; hostname "$NAME"; }
