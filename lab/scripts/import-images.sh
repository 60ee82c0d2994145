#!/bin/bash
# import-images.sh ROOT CONTENT-FOLDER ARCHIVE...: imports images with the containerd of a mounted image; CONTENT-FOLDER becomes
# the /var/lib/containerd of nodes. It must not lie on an overlay.
set -euo pipefail
root=$1 content=$2
shift 2
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/run"
mkdir -p "$root/var/lib/containerd"
mount --bind "$content" "$root/var/lib/containerd"
chroot "$root" containerd --log-level error >"$content.log" 2>&1 &
daemon=$!
for _ in $(seq 200); do
    chroot "$root" ctr version >/dev/null 2>&1 && break
    kill -0 "$daemon" 2>/dev/null || { cat "$content.log" >&2; exit 1; }
    sleep 0.05
done
# Archives of two versions have the same name. A name that is mounted is the archive itself: it must not be written to.
for archive; do
    : >"$root/run/archive"
    mount --bind "$archive" "$root/run/archive"
    chroot "$root" ctr -n k8s.io images import /run/archive >/dev/null
    umount "$root/run/archive"
done
kill "$daemon"
wait "$daemon" || true
rm -f "$content.log"
# Nodes have a socket folder and temporary files of their own.
rm -rf "$content"/tmpmounts
