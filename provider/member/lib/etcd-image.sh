#!/bin/sh
# etcd-image.sh: etcd's programs on the machine itself. They come from the image of this machine's etcd: kubeadm puts none there.
# mount_etcd_image IMAGE sets $programs, their folder; unmount_etcd_image. image_of_etcd MANIFEST prints the image, etcd_version what is mounted.
# constants: ETCD_IMAGE_FOLDER

image_of_etcd() { sed -n "s/^ *image: *[\"']\{0,1\}\([^\"' ]*\).*/\1/p" "$1" | head -n 1; }
mount_etcd_image() {
    unmount_etcd_image
    mkdir -p "$ETCD_IMAGE_FOLDER"
    ctr -n k8s.io images mount "$1" "$ETCD_IMAGE_FOLDER" >/dev/null
    for programs in "$ETCD_IMAGE_FOLDER"/usr/local/bin "$ETCD_IMAGE_FOLDER"/usr/bin "$ETCD_IMAGE_FOLDER"/bin; do
        if [ -x "$programs/etcd" ] && [ -x "$programs/etcdutl" ]; then return 0; fi
    done
    echo "the image $1 has no etcd with etcdutl" >&2
    return 1
}
etcd_version() { "$programs"/etcd --version | sed -n 's/^etcd Version: *//p'; }
# also what a power failure has left
unmount_etcd_image() {
    ctr -n k8s.io images unmount --rm "$ETCD_IMAGE_FOLDER" >/dev/null 2>&1 || ctr -n k8s.io snapshots rm "$ETCD_IMAGE_FOLDER" >/dev/null 2>&1 || true
    rmdir "$ETCD_IMAGE_FOLDER" 2>/dev/null || true
}
