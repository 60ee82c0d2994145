#!/bin/sh
# unmount-pods.sh: unmount_pods unmounts what kubelet mounted for pods and plugins.
# A mount in memory holds no data, so it is unmounted even if it is busy. Any other busy mount stays, with its files: a lazy
# unmount would only hide it. Mounts of others below /var/lib/kubelet are not touched.

unmount_pods() {
    awk '$2 ~ "^/var/lib/kubelet/(pods|plugins)/" { print $3, $2 }' /proc/mounts | sort -r -k 2 |
        while read -r type mount; do
            # an NFS server that is gone holds its unmount for ever
            timeout -s KILL 30 umount "$mount" 2>/dev/null && continue
            if [ "$type" = tmpfs ] && umount -l "$mount"; then continue; fi
            echo "stays: $mount is busy"
        done
}
