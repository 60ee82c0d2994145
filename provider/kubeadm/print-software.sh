#!/bin/sh
# print-software.sh: prints which software of others is on this machine that ours would remove, replace or fight with, as lines name=value.
# constants: SOFTWARE_FILES

. shell/lib/own-balancer.sh

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
balances() {
    systemctl -q is-active "$1.service" 2>/dev/null && ! is_own_balancer "$2" && grep -Eqs "$3" "$2" "${2%/*}"/conf.d/*
}
if balances haproxy /etc/haproxy/haproxy.cfg '^[[:space:]]*(frontend|listen)[[:space:]]'; then
    echo "balancer=haproxy with /etc/haproxy/haproxy.cfg"
fi
if balances keepalived /etc/keepalived/keepalived.conf '^[[:space:]]*(vrrp_instance|virtual_server|include)'; then
    echo "balancer=keepalived with /etc/keepalived/keepalived.conf"
fi
