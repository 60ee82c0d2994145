#!/bin/sh
# observe-guard.sh: looks whether the rules that keep pods from the virtual address are loaded, and will be at boot.
# constants: TEMPLATE INTERFACE_PLACEHOLDER GUARD_RULES GUARD_SERVICE GUARD_TABLE

. shell/lib/observed.sh
. endpoint/find-interface.sh

sed "s/$INTERFACE_PLACEHOLDER/$interface/" "$TEMPLATE" | cmp -s - "$GUARD_RULES" || differs "$GUARD_RULES has changed"
/usr/sbin/nft list table inet "$GUARD_TABLE" >/dev/null 2>&1 || differs "nftables does not have our table $GUARD_TABLE"
runs "$GUARD_SERVICE"
