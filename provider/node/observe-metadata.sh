#!/bin/sh
# observe-metadata.sh: looks whether the rules that keep pods from the metadata service are loaded, and will be at boot.
# inputs: RULES (empty: open)
# constants: METADATA_RULES METADATA_SERVICE METADATA_TABLE

. shell/lib/observed.sh

if [ -z "$RULES" ]; then
    [ ! -e "$METADATA_RULES" ] || differs "$METADATA_RULES closes the metadata service to pods"
else
    printf '%s\n' "$RULES" | cmp -s - "$METADATA_RULES" || differs "$METADATA_RULES has changed"
    /usr/sbin/nft list table inet "$METADATA_TABLE" >/dev/null 2>&1 || differs "nftables does not have our table $METADATA_TABLE"
    runs "$METADATA_SERVICE"
fi
