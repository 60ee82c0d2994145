#!/bin/sh
# print-software.sh: prints which software of others is on this machine that ours would remove, replace or fight with, as lines name=value.
# constants: SOFTWARE_FILES HAPROXY_FRONTEND HAPROXY_SIGN KEEPALIVED_SIGN

for file in $SOFTWARE_FILES; do
    [ ! -e "$file" ] || echo "software=$file"
done
# the kubelet of an image that never joined ends at once, and systemd starts it again and again
ps -eo etimes=,comm= 2>/dev/null | awk '
    $2 ~ /^(dockerd|k3s|k3s-server|k3s-agent|rke2|k0s|kubelite)$/ || $2 == "kubelet" && $1 >= 60 { print "software=process " $2 }' | sort -u
# systems with rpm have no other containerd than containerd.io, which ours uses there
if command -v dpkg-query >/dev/null; then
    for package in docker-ce containerd.io; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)" != installed ] || echo "softwarePackage=$package"
    done
fi
# the one that a package brings runs, too, but does not balance anything
has_both() { grep -sqF "$2" "$1" && grep -qxF "$3" "$1"; }
balances() {
    systemctl -q is-active "$1.service" 2>/dev/null && grep -Eqs "$3" "$2" "${2%/*}"/conf.d/*
}
haproxy=/etc/haproxy/haproxy.cfg
if balances haproxy $haproxy '^[[:space:]]*(frontend|listen)[[:space:]]' && ! has_both $haproxy "$HAPROXY_SIGN" "$HAPROXY_FRONTEND"; then
    echo "balancer=haproxy with $haproxy"
fi
keepalived=/etc/keepalived/keepalived.conf
if balances keepalived $keepalived '^[[:space:]]*(vrrp_instance|virtual_server|include)' && ! grep -sqF "$KEEPALIVED_SIGN" $keepalived; then
    echo "balancer=keepalived with $keepalived"
fi
