#!/bin/sh
# finish-dpkg.sh: finish_dpkg ends what a dpkg that was killed has left half done. It waits for one that runs.

finish_dpkg() {
    until=$(($(date +%s) + 300))
    while [ -n "$(find /var/lib/dpkg/updates -name '[0-9]*' 2>/dev/null)$(dpkg --audit)" ]; do
        if told=$(LC_ALL=C dpkg --force-confdef --force-confold --configure -a 2>&1); then return; fi
        case $told in *lock*) [ "$(date +%s)" -ge $until ] ;; esac && { printf '%s\n' "$told" >&2; exit 1; }
        sleep 5
    done
}
