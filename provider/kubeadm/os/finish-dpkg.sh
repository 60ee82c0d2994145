#!/bin/sh
# finish-dpkg.sh: finish_dpkg ends what a dpkg that was killed has left half done. It waits for one that runs.

finish_dpkg() {
    waited=0
    while [ -n "$(find /var/lib/dpkg/updates -name '[0-9]*' 2>/dev/null)$(dpkg --audit)" ]; do
        if dpkg --force-confdef --force-confold --configure -a; then return; fi
        [ $waited -lt 300 ] || exit 1
        waited=$((waited + 5))
        sleep 5
    done
}
