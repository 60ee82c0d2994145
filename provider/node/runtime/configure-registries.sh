#!/bin/sh
# configure-registries.sh: removes what we wrote for registries that have no mirror any more.
# inputs: FOLDERS (containerd's folders of registries with a mirror, one a line)
# inputs: WITH_CA (those of them with an authority of their own, one a line)
# constants: ORIGINALS_FOLDER CERTS_FOLDER

. shell/lib/originals.sh

has() { printf '%s\n' "$1" | grep -qxF "$2"; }
for folder in "$ORIGINALS_FOLDER$CERTS_FOLDER/"*; do
    [ -d "$folder" ] || continue
    folder="${folder#"$ORIGINALS_FOLDER"}"
    if has "$FOLDERS" "$folder"; then
        # before us one may have had a CA there, or we may have had one before
        has "$WITH_CA" "$folder" || restore "$folder/ca.crt"
        continue
    fi
    restore "$folder/hosts.toml"
    restore "$folder/ca.crt"
    rm -rf "$ORIGINALS_FOLDER$folder"
    rmdir "$folder" 2>/dev/null || true
done
