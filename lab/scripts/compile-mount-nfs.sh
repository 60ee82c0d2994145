#!/bin/bash
# compile-mount-nfs.sh ROOT SOURCE TARGET: compiles mount.nfs in an image that has a compiler, into the folder TARGET.
set -euo pipefail
root=$1 source=$2 target=$3
cp "$source" "$root/mount-nfs.c"
own=/usr/local/lib/nfv-lab
# It brings its libraries, because it also runs in containers: see nfs/runc.
# shellcheck disable=SC2016 # expanded within the image
chroot "$root" sh -ec 'gcc -O2 -Wall -o /mount.nfs /mount-nfs.c $(pkg-config --cflags --libs fuse3 libnfs) -Wl,--disable-new-dtags,-rpath,"$0/lib"' "$own"
install -D -m 755 "$root/mount.nfs" "$target$own/mount.nfs"
mkdir -p "$target$own/lib"
chroot "$root" ldd /mount.nfs | sed -n 's/.* => \(.*lib\(fuse3\|nfs\)\..*\) (.*/\1/p' | while read -r library; do
    cp -L "$root$library" "$target$own/lib/"
done
set -- "$target$own"/lib/*
[ $# = 2 ]
