#!/bin/sh
# configure-snapshots.sh: after program, units and settings are there: takes the timer away if no schedule is wanted. Starts nothing.
# inputs: SCHEDULE ("-": none)
# constants: BACKUP_NOTES UNITS_FOLDER

. shell/lib/usual-path.sh

mkdir -p "$BACKUP_NOTES"
chmod 700 "$BACKUP_NOTES"
if [ "$SCHEDULE" = - ]; then
    systemctl -q disable --now pulumi-nfv-etcd-snapshot.timer 2> /dev/null || true
    rm -f "$UNITS_FOLDER/pulumi-nfv-etcd-snapshot.timer"
fi
systemctl daemon-reload
