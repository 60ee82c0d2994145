#!/bin/sh
# remove-rules.sh: remove_rules SERVICE FILE… unloads rules of nftables that nft-rules.sh loaded, and removes their files.

remove_rules() {
    systemctl -q disable --now "$1" 2>/dev/null || true
    shift
    rm -f "$@"
    rmdir /etc/pulumi-nfv /etc/systemd/system/nftables.service.d 2>/dev/null || true
}
