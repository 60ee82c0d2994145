#!/bin/bash
# compile-mount-nfs.sh ROOT SOURCE TARGET: compiles mount.nfs in an image that has a compiler, into the folder TARGET.
set -euo pipefail
root=$1 source=$2 target=$3
cp "$source" "$root/mount-nfs.c"
# shellcheck disable=SC2016 # expanded within the image
chroot "$root" sh -ec 'gcc -O2 -Wall -o /mount.nfs /mount-nfs.c $(pkg-config --cflags --libs fuse3 libnfs)'
install -D -m 755 "$root/mount.nfs" "$target/usr/local/lib/nfv-lab/mount.nfs"
