#!/bin/sh
# leave.sh: undoes what the steps of a storage server did. Volumes keep their data, their file system and their mark; repositories of backups stay, too.
# inputs: CLIENTS_WAIT (yes: another machine takes its place, or this one is set up again) BACKUPS (none: all go)
# constants: BACKUPS_FOLDER BACKUP_NOTES BACKUP_PROGRAM BACKUP_CACHE UNITS_FOLDER TIMER_STAMPS EXPORTS_FILE WANTED_EXPORTS SETTINGS_FILE VOLUMES_FOLDER STOPPED_FILE FORMATTING_FOLDER MADE_FOLDER PROXY_ENVIRONMENT_FILE INSTALLED_PACKAGES_FILE

. shell/lib/usual-path.sh

. storage/lib/fstab.sh

. storage/lib/unmount.sh

. node/kubernetes/purge-packages.sh

# a backup would keep a volume mounted
. storage/backup/remove-backups.sh

# a server that no longer exports a folder says that its files are gone; one that does not answer is waited for
if [ "${CLIENTS_WAIT:-}" = yes ]; then
    systemctl stop nfs-server.service 2>/dev/null || true
    rm -f "$STOPPED_FILE"
fi
rm -f "$EXPORTS_FILE" "$SETTINGS_FILE"
if command -v exportfs >/dev/null; then
    # fails also for a line of somebody else's
    exportfs -ra || true
    # exports of others need the server
    if [ -z "$(exportfs -s 2>/dev/null || true)" ]; then
        systemctl -q disable --now nfs-server.service 2>/dev/null || true
        rm -f "$STOPPED_FILE"
        # the packages have the client, too, which somebody may use meanwhile
        if [ -s "$INSTALLED_PACKAGES_FILE" ] && ! awk '$3 ~ /^nfs4?$/ { found = 1 } END { exit !found }' /proc/mounts; then purge_packages "$(sort -u "$INSTALLED_PACKAGES_FILE")" ""; fi
    elif [ "${CLIENTS_WAIT:-}" = yes ]; then
        systemctl start nfs-server.service
    else
        systemctl -q try-restart nfs-server.service
    fi
fi
# exports before volumes
for place in $(our_mounts | tac | cut -d ' ' -f 2); do
    if mountpoint -q "$place"; then unmount_served "$place"; fi
    rmdir "$place" 2>/dev/null || true
done
start_again
write_mounts ""
rmdir "$VOLUMES_FOLDER" 2>/dev/null || true
rm -rf "${WANTED_EXPORTS%/*}" "$FORMATTING_FOLDER" "$MADE_FOLDER"
rm -f "$PROXY_ENVIRONMENT_FILE"
rmdir /etc/pulumi-nfv 2>/dev/null || true
rm -f "$INSTALLED_PACKAGES_FILE"
