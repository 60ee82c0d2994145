#!/bin/sh
# keep-originals.sh: copies files that existed before us, each once, synced to disk before the first change.
# inputs: FILES FOLDERS SERVICES (paths and names, one a line, without spaces)
# constants: ORIGINALS_FOLDER ORIGINAL_ACTIVE_FILE ORIGINAL_FOLDERS_FILE ORIGINAL_OFF_FILE ORIGINAL_SERVICES_FILE ORIGINAL_PLUGINS_FILE ORIGINAL_CNI_FILE

. shell/lib/originals.sh

. shell/lib/own-balancer.sh

# a machine that has lost our notes has what we made: that is no original
is_ours() { is_own_balancer "$1" || grep -sqF '"name": "podnet"' "$1"; }
serves_ours() { is_ours "/etc/${1%.service}/${1%.service}.conf" || is_ours "/etc/${1%.service}/${1%.service}.cfg"; }
umask 077
# of a reset: what it left is what is there now
rm -rf "$ORIGINALS_FOLDER.gone"
mkdir -p "$ORIGINALS_FOLDER"
if [ ! -e "$ORIGINAL_PLUGINS_FILE" ]; then
    for folder in $FOLDERS; do if [ -d "$folder" ]; then echo "$folder"; fi; done > "$ORIGINAL_FOLDERS_FILE"
    for service in $SERVICES; do
        if systemctl -q is-enabled "$service" 2>/dev/null && ! serves_ours "$service"; then echo "$service"; fi
    done > "$ORIGINAL_SERVICES_FILE"
    for service in $SERVICES; do
        if systemctl -q is-active "$service" 2>/dev/null && ! serves_ours "$service"; then echo "$service"; fi
    done > "$ORIGINAL_ACTIVE_FILE"
    if [ "$(systemctl is-enabled containerd.service 2>/dev/null)" = disabled ] && ! systemctl -q is-active containerd.service
    then echo containerd.service; fi > "$ORIGINAL_OFF_FILE"
    for file in /etc/cni/net.d/* /etc/cni/net.d/.[!.]*; do
        if there "$file" && ! is_ours "$file"; then echo "${file##*/}"; fi
    done > "$ORIGINAL_CNI_FILE"
    # last: its presence says that all of it was noted
    { ls /opt/cni/bin 2>/dev/null || true; } > "$ORIGINAL_PLUGINS_FILE.new"
    sync -- "$ORIGINAL_ACTIVE_FILE" "$ORIGINAL_OFF_FILE" "$ORIGINAL_FOLDERS_FILE" "$ORIGINAL_CNI_FILE" "$ORIGINAL_SERVICES_FILE" "$ORIGINAL_PLUGINS_FILE.new"
    mv "$ORIGINAL_PLUGINS_FILE.new" "$ORIGINAL_PLUGINS_FILE"
fi
for file in $FILES; do
    copy="$ORIGINALS_FOLDER$file"
    if there "$copy" || [ -e "$copy.absent" ]; then continue; fi
    mkdir -p "${copy%/*}"
    if ! there "$file" || is_ours "$file"; then
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
