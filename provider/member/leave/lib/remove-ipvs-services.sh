#!/bin/sh
# remove-ipvs-services.sh: remove_ipvs_services deletes kube-proxy's virtual servers.
# Those for addresses on its own interface, and those for NodePorts. Without that interface, kube-proxy never ran in this
# mode.

remove_ipvs_services() {
    command -v ipvsadm >/dev/null || return 0
    addresses=$(ip -o address show dev kube-ipvs0 2>/dev/null | awk '{ sub("/.*", "", $4); print $4 }') || return 0
    [ -n "$addresses" ] || return 0
    ipvsadm --save --numeric | while read -r what protocol service _; do
        [ "$what" = -A ] || continue
        address=$(printf '%s\n' "${service%:*}" | tr -d '[]')
        port=${service##*:}
        if printf '%s\n' "$addresses" | grep -qxF -- "$address" || { [ "$port" -ge 30000 ] && [ "$port" -le 32767 ]; }; then
            ipvsadm --delete-service "$protocol" "$service" || true
        fi
    done
}
