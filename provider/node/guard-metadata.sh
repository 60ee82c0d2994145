#!/bin/sh
# guard-metadata.sh: closes the cloud's metadata service to pods, now and at boot, or opens it to them.
# inputs: RULES (empty: open)
# constants: METADATA_RULES METADATA_SERVICE METADATA_UNIT METADATA_DROP_IN

. shell/lib/nft-rules.sh
. shell/lib/remove-rules.sh

if [ -z "$RULES" ]; then
    remove_rules "$METADATA_SERVICE" "$METADATA_RULES" "$METADATA_UNIT" "$METADATA_DROP_IN"
    systemctl daemon-reload
    exit 0
fi
who="each node of a cluster on a cloud (unless network.podsReachMetadata is set)"
need_nft "$who"
mkdir -p "${METADATA_RULES%/*}"
printf '%s\n' "$RULES" > "$METADATA_RULES.new"
load_rules "$METADATA_RULES" "$METADATA_SERVICE" "$who"
