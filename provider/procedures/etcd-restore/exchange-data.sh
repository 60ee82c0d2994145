#!/bin/sh
# exchange-data.sh: the restored data takes the place of the data in use, which is kept beside it: two renames.
# inputs: SNAPSHOT WORD
# constants: ETCD_DATA KUBERNETES_FOLDER RESTORED_NOTE RESTORE_ASIDE RESTORE_FAILED

. shell/lib/usual-path.sh

. procedures/etcd-restore/lib/restore-state.sh

if is_restored; then exit 0; fi
need_prepared
if [ -e "$work/exchanged" ]; then exit 0; fi
if [ -e "$manifests/etcd.yaml" ]; then refuse "etcd is not stopped on this machine"; fi
# what has begun is ended
trap '' TERM INT HUP
if [ -d "$work/data/member" ]; then
    if [ -d "$ETCD_DATA/member" ]; then
        kept=$ETCD_DATA/before-restore-$(date -u +%Y%m%dT%H%M%SZ)
        # of an interrupted run, if they are empty
        rmdir "$ETCD_DATA"/before-restore-* 2> /dev/null || true
        mkdir -m 700 "$kept"
        mv "$ETCD_DATA/member" "$kept/member"
        sync -f "$ETCD_DATA"
    fi
    mv "$work/data/member" "$ETCD_DATA/member"
    sync -f "$ETCD_DATA"
fi
if [ ! -s "$ETCD_DATA/member/snap/db" ]; then refuse "there is no data of etcd in $ETCD_DATA, or etcd would begin an empty cluster: the manifests stay in $aside"; fi
: > "$work/exchanged"
sync -f "$work"
