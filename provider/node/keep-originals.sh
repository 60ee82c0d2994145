#!/bin/sh
# keep-originals.sh: copies files that existed before us, each once, synced to disk before the first change.
# inputs: FILES FOLDERS SERVICES (paths and names, one a line, without spaces)
# constants: ORIGINALS_FOLDER ORIGINAL_ACTIVE_FILE ORIGINAL_FOLDERS_FILE ORIGINAL_SERVICES_FILE ORIGINAL_PLUGINS_FILE ORIGINAL_CNI_FILE

. shell/lib/originals.sh

umask 077
mkdir -p "$ORIGINALS_FOLDER"
if [ ! -e "$ORIGINAL_PLUGINS_FILE" ]; then
    for folder in $FOLDERS; do if [ -d "$folder" ]; then echo "$folder"; fi; done > "$ORIGINAL_FOLDERS_FILE"
    for service in $SERVICES; do
        if systemctl -q is-enabled "$service" 2>/dev/null; then echo "$service"; fi
    done > "$ORIGINAL_SERVICES_FILE"
    for service in $SERVICES; do
        if systemctl -q is-active "$service" 2>/dev/null; then echo "$service"; fi
    done > "$ORIGINAL_ACTIVE_FILE"
    { ls -A /etc/cni/net.d 2>/dev/null || true; } > "$ORIGINAL_CNI_FILE"
    # last: its presence says that all of it was noted
    { ls /opt/cni/bin 2>/dev/null || true; } > "$ORIGINAL_PLUGINS_FILE.new"
    sync -- "$ORIGINAL_ACTIVE_FILE" "$ORIGINAL_FOLDERS_FILE" "$ORIGINAL_CNI_FILE" "$ORIGINAL_SERVICES_FILE" "$ORIGINAL_PLUGINS_FILE.new"
    mv "$ORIGINAL_PLUGINS_FILE.new" "$ORIGINAL_PLUGINS_FILE"
fi
for file in $FILES; do
    copy="$ORIGINALS_FOLDER$file"
    if there "$copy" || [ -e "$copy.absent" ]; then continue; fi
    mkdir -p "${copy%/*}"
    if ! there "$file"; then
        : > "$copy.absent"
        continue
    fi
    rm -rf "$copy.new"
    cp -a "$file" "$copy.new"
    [ -L "$copy.new" ] || sync -- "$copy.new"
    mv -T "$copy.new" "$copy"
done
# names, too: a copy that a power failure takes away is none
find "$ORIGINALS_FOLDER" -type d -exec sync -- {} +
