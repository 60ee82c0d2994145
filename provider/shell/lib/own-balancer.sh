#!/bin/sh
# own-balancer.sh: is_own_balancer FILE: whether this configuration of HAProxy or keepalived is one that we wrote.
# constants: HAPROXY_FRONTEND HAPROXY_SIGN KEEPALIVED_SIGN

is_own_balancer() {
    if grep -sqF "$KEEPALIVED_SIGN" "$1"; then return 0; fi
    grep -sqF "$HAPROXY_SIGN" "$1" && grep -qxF "$HAPROXY_FRONTEND" "$1"
}
