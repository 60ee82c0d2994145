#!/bin/sh
# observe-snapshots.sh: says that the timer does not run, or that the last snapshot failed.
# inputs: SCHEDULE ("-": none)
# constants: BACKUP_NOTES

. shell/lib/usual-path.sh

if [ "$SCHEDULE" != - ] && ! systemctl -q is-active pulumi-nfv-etcd-snapshot.timer; then echo "the timer of etcd's snapshots does not run"; fi
if [ -e "$BACKUP_NOTES/etcd.failed" ]; then echo "the last snapshot of etcd failed: $(sed -n 2p "$BACKUP_NOTES/etcd.failed" | cut -c 1-300)"; fi
