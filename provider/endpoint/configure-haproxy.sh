#!/bin/sh
# configure-haproxy.sh: checks HAProxy's configuration and lets it read it; a reload keeps existing connections.

haproxy -c -q -f /etc/haproxy/haproxy.cfg
if command -v getenforce >/dev/null && [ "$(getenforce)" != Disabled ]; then setsebool -P haproxy_connect_any 1; fi
SYSTEMCTL_SKIP_SYSV=1 systemctl enable -q --no-reload haproxy.service
systemctl reload-or-restart haproxy.service
systemctl -q is-active haproxy.service
