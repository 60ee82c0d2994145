#!/bin/sh
# connected-clients.sh: prints the addresses that are connected to the NFS server, except the server's own. Changes nothing.
# inputs: ADDRESS

. shell/lib/usual-path.sh

command -v ss >/dev/null || { echo "ss (iproute2) is missing: who is connected cannot be seen" >&2; exit 1; }
ss --no-header --tcp --numeric state established '( sport = :2049 )' | awk '{ print $4 }' |
    sed 's/:[0-9]*$//; s/^\[//; s/\]$//; s/^::ffff://' | sort -u | grep -vxF -e "$ADDRESS" -e 127.0.0.1 -e ::1 || true
