#!/bin/sh
# guard-virtual-address.sh: loads the rules that keep pods from taking the virtual address, now and at boot.
# constants: TEMPLATE INTERFACE_PLACEHOLDER GUARD_RULES GUARD_SERVICE

. shell/lib/nft-rules.sh
. endpoint/find-interface.sh

who="each node of a cluster with controlPlane.endpoint.vip"
need_nft "$who"
mkdir -p "${GUARD_RULES%/*}"
sed "s/$INTERFACE_PLACEHOLDER/$interface/" "$TEMPLATE" > "$GUARD_RULES.new"
load_rules "$GUARD_RULES" "$GUARD_SERVICE" "$who"
