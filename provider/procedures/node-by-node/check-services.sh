#!/bin/sh
# check-services.sh: waits until what this node needs runs again: its services, and on a control-plane node its API server.
# inputs: ROLE ADDRESS SECONDS_TO_WAIT
# constants: OS_SERVICES

. shell/lib/usual-path.sh

. kubeadm/lib/api-ready.sh

. shell/lib/seconds.sh

away() {
    for unit in kubelet $OS_SERVICES; do
        if systemctl is-enabled --quiet "$unit" 2>/dev/null && ! systemctl is-active --quiet "$unit"; then printf '%s ' "$unit"; fi
    done
    if [ "$ROLE" = controlPlane ] && ! api_ready; then printf 'the API server of this machine'; fi
}
end=$(($(seconds) + SECONDS_TO_WAIT))
while missing=$(away) && [ -n "$missing" ]; do
    [ "$(seconds)" -lt $end ] || {
        echo "not running: $missing" >&2
        exit 1
    }
    sleep 2
done
