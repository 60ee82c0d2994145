#!/bin/sh
# exports.sh: functions for what the NFS server serves.
# write_client FILE ADDRESSES: writes a client's file, one address a line.
# write_exports: writes the file of exports from the wanted exports and the registered clients.
# apply_exports: the same, and makes it effective.
# prove_exports: mounts each export from here, read-only: `exportfs` succeeds also where no server runs.
# constants: EXPORTS_FILE WANTED_EXPORTS CLIENTS_FOLDER NOT_SERVED

write_client() {
    printf '%s\n' "$2" > "$CLIENTS_FOLDER/.new"
    sync -- "$CLIENTS_FOLDER/.new"
    mv "$CLIENTS_FOLDER/.new" "$CLIENTS_FOLDER/$1"
}
registered_clients() { cat "$CLIENTS_FOLDER"/* 2>/dev/null || true; }
# a line of WANTED_EXPORTS: PATH OPTIONS ADDRESS-OF-THE-SERVER VERSION CLIENT...; the client "registered" stands for all that are
export_lines() {
    while read -r path options address _ clients; do
        line="$path $address($options,ro)"
        for client in $clients; do
            if [ "$client" != registered ]; then line="$line $client($options)"; continue; fi
            for each in $(registered_clients | sort -u); do line="$line $each($options)"; done
        done
        printf '%s\n' "$line"
    done < "$WANTED_EXPORTS"
}
write_exports() {
    mkdir -p "${EXPORTS_FILE%/*}"
    { echo '# written by pulumi-nfv'; export_lines; } > "$EXPORTS_FILE.new"
    if ! cmp -s "$EXPORTS_FILE.new" "$EXPORTS_FILE"; then
        sync -- "$EXPORTS_FILE.new"
        mv "$EXPORTS_FILE.new" "$EXPORTS_FILE"
    fi
    rm -f "$EXPORTS_FILE.new"
}
apply_exports() {
    [ -e "$WANTED_EXPORTS" ] || return 0
    write_exports
    command -v exportfs >/dev/null || return 0
    if said=$(exportfs -ra 2>&1); then return 0; fi
    # fails also for a line of somebody else's
    printf '%s\n' "$said" >&2
    exported=$(exportfs -s 2>/dev/null || true)
    while read -r path _; do
        if ! printf '%s\n' "$exported" | awk -v path="$path" '$1 == path { found = 1 } END { exit !found }'; then exit 1; fi
    done < "$WANTED_EXPORTS"
}
prove_exports() {
    proof=$(mktemp -d)
    while read -r path _ address version _; do
        said=
        for _ in 1 2 3 4 5; do
            if said=$(timeout 30 mount -t nfs -o "ro,soft,timeo=50,retrans=2,nfsvers=$version" "$address:$path" "$proof" 2>&1); then
                said=
                ls "$proof" >/dev/null 2>&1 || said="it cannot be read"
                umount "$proof"
            fi
            [ -n "$said" ] || break
            sleep 1
        done
        if [ -n "$said" ]; then
            rmdir "$proof" || true
            printf '%s is exported, but %s does not serve it: %s\n' "$path" "$address" "$said" >&2
            exit "$NOT_SERVED"
        fi
    done < "$WANTED_EXPORTS"
    rmdir "$proof"
}
