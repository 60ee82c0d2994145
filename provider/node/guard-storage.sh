#!/bin/sh
# guard-storage.sh: closes the storage server to pods, now and at boot.
# inputs: RULES
# constants: STORAGE_RULES STORAGE_SERVICE

. shell/lib/nft-rules.sh

who="each node of a cluster with a storage server"
need_nft "$who"
mkdir -p "${STORAGE_RULES%/*}"
printf '%s\n' "$RULES" > "$STORAGE_RULES.new"
load_rules "$STORAGE_RULES" "$STORAGE_SERVICE" "$who"
