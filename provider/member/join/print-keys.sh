#!/bin/sh
# print-keys.sh: prints those of this machine's keys that were rotated, for another control-plane node of the cluster: a line "PATH BASE64" for each.
# inputs: KEPT (paths below the folder of keys)
# After a rotation of the authorities also what this machine knows of them, as "authority".
# constants: AUTHORITY_FILE PKI_FOLDER

for path in $KEPT; do
    if [ ! -s "$PKI_FOLDER/$path" ]; then
        echo "$PKI_FOLDER/$path is missing on this machine: copy it from another control-plane node" >&2
        exit 1
    fi
    printf '%s %s\n' "$path" "$(base64 -w0 "$PKI_FOLDER/$path")"
done
case " $KEPT " in *' ca.crt '*) printf 'authority %s\n' "$(base64 -w0 "$AUTHORITY_FILE")" ;; esac
