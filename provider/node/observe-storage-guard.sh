#!/bin/sh
# observe-storage-guard.sh: looks whether the rules that keep pods from the storage server are loaded, and will be at boot.
# inputs: RULES
# constants: STORAGE_RULES STORAGE_SERVICE STORAGE_TABLE

. shell/lib/observed.sh

printf '%s\n' "$RULES" | cmp -s - "$STORAGE_RULES" || differs "$STORAGE_RULES has changed"
/usr/sbin/nft list table inet "$STORAGE_TABLE" >/dev/null 2>&1 || differs "nftables does not have our table $STORAGE_TABLE"
runs "$STORAGE_SERVICE"
