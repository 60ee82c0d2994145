#!/bin/sh
# note-leaving.sh: notes that this machine leaves its cluster.
# constants: INIT_STARTED_FILE JOIN_STARTED_FILE MEMBER_FILE

# a power failure may have left an empty file
if ! read -r cluster < "$MEMBER_FILE" 2>/dev/null; then
    rm -f "$MEMBER_FILE"
    exit 0
fi
printf '%s\n' "$cluster" > "$JOIN_STARTED_FILE"
rm -f "$MEMBER_FILE" "$INIT_STARTED_FILE"
sync -f "$JOIN_STARTED_FILE"
