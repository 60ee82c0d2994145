#!/bin/sh
# stop-for-restore.sh: etcd and what uses it stop on this machine, and stay stopped also over a reboot: their manifests are aside.
# inputs: SNAPSHOT WORD
# constants: ETCD_DATA KUBERNETES_FOLDER RESTORED_NOTE RESTORE_ASIDE RESTORE_FAILED

. shell/lib/usual-path.sh

. member/lib/other-process.sh

. procedures/etcd-restore/lib/restore-state.sh

if is_restored; then exit 0; fi
need_prepared
if [ -e "$work/exchanged" ]; then exit 0; fi
mkdir -p "$aside"
chmod 700 "$RESTORE_ASIDE"
# kubelet would start them again
systemctl stop kubelet.service
for component in $components; do
    if [ -e "$manifests/$component.yaml" ]; then mv "$manifests/$component.yaml" "$aside/$component.yaml"; fi
done
sync -f "$KUBERNETES_FOLDER"
for component in $components; do
    # the flags that tell the processes from others are in the manifests
    process=$(KUBERNETES_FOLDER=$RESTORE_ASIDE; process_of "$component")
    if [ -z "$process" ]; then continue; fi
    kill "$process" 2> /dev/null || true
    tries=0
    while kill -0 "$process" 2> /dev/null; do
        tries=$((tries + 1))
        if [ $tries -eq 100 ]; then kill -KILL "$process" 2> /dev/null || true; fi
        if [ $tries -ge 300 ]; then refuse "$component does not end"; fi
        sleep 0.2
    done
done
# the lock is etcd's own: it shows etcd's end whatever its pod is called
if [ -e "$ETCD_DATA"/member/snap/db ] && ! flock -w 60 "$ETCD_DATA"/member/snap/db true; then refuse "etcd does not end"; fi
echo "restore $WORD: etcd is stopped"
