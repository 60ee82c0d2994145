#!/bin/sh
# nft-rules.sh: functions for rules of nftables that a service of ours loads, now and at boot (../nft-rules.ts).
# constants: UNSUPPORTED_SYSTEM
# need_nft WHO: installs the package nftables where it is missing. WHO needs it.
# load_rules FILE SERVICE WHO: checks FILE.new, puts it in FILE's place and loads it.

. shell/lib/packages.sh

need_nft() {
    [ ! -x /usr/sbin/nft ] || return 0
    echo "there is no /usr/sbin/nft, and it has to be installed: $1 needs the package nftables" >&2
    install_packages
}
load_rules() {
    if ! /usr/sbin/nft -c -f "$1.new"; then
        echo "nft refuses its rules, as it does where the kernel has no nf_tables: $3 needs the package nftables" >&2
        exit "$UNSUPPORTED_SYSTEM"
    fi
    mv "$1.new" "$1"
    systemctl daemon-reload
    systemctl enable -q --no-reload "$2"
    # a reload replaces the rules at once, without a moment in between
    systemctl reload-or-restart "$2"
}
