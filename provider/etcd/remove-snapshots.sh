#!/bin/sh
# remove-snapshots.sh: takes timer, program, settings and notes of etcd's snapshots away. The snapshots stay in their repository.
# constants: BACKUPS_FOLDER BACKUP_CACHE BACKUP_NOTES SNAPSHOT_PROGRAM TIMER_STAMPS UNITS_FOLDER

. shell/lib/usual-path.sh

systemctl -q disable --now pulumi-nfv-etcd-snapshot.timer 2> /dev/null || true
systemctl stop pulumi-nfv-etcd-snapshot.service 2> /dev/null || true
systemctl reset-failed pulumi-nfv-etcd-snapshot.service 2> /dev/null || true
rm -f "$UNITS_FOLDER/pulumi-nfv-etcd-snapshot.timer" "$UNITS_FOLDER/pulumi-nfv-etcd-snapshot.service" "$SNAPSHOT_PROGRAM" \
    "$TIMER_STAMPS/stamp-pulumi-nfv-etcd-snapshot.timer"
rm -rf "${BACKUPS_FOLDER:?}/etcd" "${BACKUP_CACHE:?}/etcd" "$BACKUP_NOTES"
rmdir "$BACKUPS_FOLDER" "$BACKUP_CACHE" 2> /dev/null || true
systemctl daemon-reload
