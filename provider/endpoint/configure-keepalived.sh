#!/bin/sh
# configure-keepalived.sh: writes keepalived's configuration with this node's interface, checks it and lets it read it.
# constants: TEMPLATE INTERFACE_PLACEHOLDER

. endpoint/find-interface.sh

mkdir -p /etc/keepalived
sed "s/$INTERFACE_PLACEHOLDER/$interface/" "$TEMPLATE" > /etc/keepalived/keepalived.conf.new
# 2.2 ends its own process group when the configuration has a script and is right: 143 is a yes
code=0
said=$(setsid -w keepalived -t -f /etc/keepalived/keepalived.conf.new 2>&1) || code=$?
case $code in
    0 | 143) ;;
    *) printf '%s\n' "$said" >&2; exit 1 ;;
esac
mv /etc/keepalived/keepalived.conf.new /etc/keepalived/keepalived.conf
SYSTEMCTL_SKIP_SYSV=1 systemctl enable -q --no-reload keepalived.service
systemctl reload-or-restart keepalived.service
systemctl -q is-active keepalived.service
