#!/bin/sh
# usual-path.sh: sshd or systemd set any PATH, but a bundle's binaries are in /usr/local/bin.

PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin; export PATH
