#!/bin/sh
# observed.sh: functions of scripts that observe what a step left on the machine. They change nothing.
# differs TEXT: notes a difference.
# runs SERVICE: notes it if the service does not run, or is not started at boot.
# has_packages: notes those of the step's packages that are no longer installed.

differs() { printf '%s\n' "$*"; }
runs() {
    systemctl -q is-active "$1" || differs "$1 does not run"
    systemctl -q is-enabled "$1" 2>/dev/null || differs "$1 is not started at boot"
}
has_packages() {
    if command -v dpkg-query >/dev/null 2>&1; then
        wanted=${APT_PACKAGES:-}
        # shellcheck disable=SC2086 # names, separated by spaces; it fails for one that was never known here
        there=$([ -z "$wanted" ] || dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null) || true
        for package in $wanted; do
            printf '%s\n' "$there" | grep -qx "installed $package" || differs "the package $package is gone"
        done
    else
        for package in ${DNF_PACKAGES:-}; do
            rpm -q --quiet "$package" || rpm -q --quiet --whatprovides "$package" || differs "the package $package is gone"
        done
    fi
}
