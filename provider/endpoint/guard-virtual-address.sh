#!/bin/sh
# guard-virtual-address.sh: loads the rules that keep pods from taking the virtual address, now and at boot.
# constants: TEMPLATE INTERFACE_PLACEHOLDER GUARD_RULES GUARD_SERVICE UNSUPPORTED_SYSTEM

. shell/lib/packages.sh
. endpoint/find-interface.sh

needed() { echo "$1: each node of a cluster with controlPlane.endpoint.vip needs the package nftables" >&2; }
if [ ! -x /usr/sbin/nft ]; then
    needed "there is no /usr/sbin/nft, and it has to be installed"
    install_packages
fi
mkdir -p "${GUARD_RULES%/*}"
sed "s/$INTERFACE_PLACEHOLDER/$interface/" "$TEMPLATE" > "$GUARD_RULES.new"
if ! /usr/sbin/nft -c -f "$GUARD_RULES.new"; then
    needed "nft refuses its rules, as it does where the kernel has no nf_tables"
    exit "$UNSUPPORTED_SYSTEM"
fi
mv "$GUARD_RULES.new" "$GUARD_RULES"
systemctl daemon-reload
systemctl enable -q --no-reload "$GUARD_SERVICE"
# a reload replaces the rules at once, without a moment in between
systemctl reload-or-restart "$GUARD_SERVICE"
