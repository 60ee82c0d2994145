#!/bin/sh
# take-away.sh: removes former endpoints from a node once all nodes have moved. The list of former endpoints is deleted
# last, so that an interrupted run starts over.
# inputs: HOST PORT (the wanted endpoint)
# inputs: VIP ("yes" if that is a virtual address)
# inputs: LOAD_BALANCER ("yes" if this is a control-plane node of a cluster with a virtual address, now or before)
# constants: FORMERS_FILE FORMER_BEGIN FORMER_END GUARD_RULES GUARD_SERVICE
# constants: STATE_FOLDER PROXY_ENVIRONMENT_FILE ORIGINAL_SERVICES_FILE

. shell/lib/usual-path.sh
. endpoint/without-former.sh
. shell/lib/originals.sh
. endpoint/remove-guard.sh

[ -s "$FORMERS_FILE" ] || exit 0
if [ "$VIP" = yes ]; then
    if [ "$LOAD_BALANCER" = yes ]; then
        kept() { sed "/^$FORMER_BEGIN\$/,/^$FORMER_END\$/d" "$1"; }
        if ! kept /etc/keepalived/keepalived.conf | grep -qF " $HOST/" || ! kept /etc/haproxy/haproxy.cfg | grep -qx "    bind \*:$PORT"; then
            echo "this master does not serve $HOST:$PORT: nothing is taken away" >&2
            exit 1
        fi
        # the address goes before what answers at it
        without_former "$STATE_FOLDER/keepalived.conf"
        without_former /etc/keepalived/keepalived.conf
        systemctl reload-or-restart keepalived.service
        without_former /etc/haproxy/haproxy.cfg
        haproxy -c -q -f /etc/haproxy/haproxy.cfg
        systemctl reload-or-restart haproxy.service
        for service in keepalived haproxy; do systemctl -q is-active "$service.service"; done
    fi
    without_former "$STATE_FOLDER/virtual-address.nft"
    without_former "$GUARD_RULES"
    systemctl reload-or-restart "$GUARD_SERVICE"
    remove_former_guards
elif grep -q '"vip":' "$FORMERS_FILE"; then
    if [ "$LOAD_BALANCER" = yes ]; then
        restore /etc/keepalived/keepalived.conf
        restore /etc/haproxy/haproxy.cfg
        for service in keepalived.service haproxy.service; do
            # one that was there before us goes on with its own settings
            if grep -qxF "$service" "$ORIGINAL_SERVICES_FILE" 2>/dev/null; then systemctl reload-or-restart "$service" || true
            else systemctl -q disable --now "$service" || true; fi
        done
    fi
    remove_guard
fi
without_former /etc/hosts
without_former "$PROXY_ENVIRONMENT_FILE"
rm -f "$FORMERS_FILE"
