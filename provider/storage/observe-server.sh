#!/bin/sh
# observe-server.sh: looks whether the NFS server is installed.

. shell/lib/observed.sh

. shell/lib/usual-path.sh

command -v exportfs >/dev/null || differs "exportfs is gone"
command -v mount.nfs >/dev/null || differs "mount.nfs is gone"
