#!/bin/sh
# observe-packages.sh: looks which of the step's packages are no longer installed.
# inputs: APT_PACKAGES DNF_PACKAGES (names, separated by spaces)

. shell/lib/observed.sh

if command -v dpkg-query >/dev/null 2>&1; then
    # shellcheck disable=SC2086 # names, separated by spaces; it fails for one that was never known here
    there=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $APT_PACKAGES 2>/dev/null) || true
    for package in $APT_PACKAGES; do
        printf '%s\n' "$there" | grep -qx "installed $package" || differs "the package $package is gone"
    done
else
    for package in $DNF_PACKAGES; do
        rpm -q --quiet "$package" || rpm -q --quiet --whatprovides "$package" || differs "the package $package is gone"
    done
fi
