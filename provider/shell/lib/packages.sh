#!/bin/sh
# packages.sh: install_packages installs those of $APT_PACKAGES or $DNF_PACKAGES that are missing, and records every
# package that came with them, so that the reset can remove them. The wanted ones are recorded first, so that a killed
# run misses none. apt, dnf and the script's curl use the proxy if there is one.
# inputs: APT_PACKAGES DNF_PACKAGES (names, separated by spaces)
# constants: STATE_FOLDER INSTALLED_PACKAGES_FILE UNSUPPORTED_SYSTEM
# shellcheck disable=SC2086 # lists of names, separated by spaces

. shell/lib/use-proxy.sh
list_packages() {
    if command -v dpkg-query >/dev/null 2>&1; then dpkg-query -W -f '${Package}\n'; else rpm -qa --qf '%{NAME}\n'; fi | sort -u
}
is_installed() {
    if command -v dpkg-query >/dev/null 2>&1; then
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
    else
        rpm -q --quiet "$1" || rpm -q --quiet --whatprovides "$1"
    fi
}
install_packages() {
    if command -v apt-get >/dev/null 2>&1; then wanted=$APT_PACKAGES
    elif command -v dnf >/dev/null 2>&1; then wanted=$DNF_PACKAGES
    else
        echo "neither apt-get nor dnf on this machine" >&2
        exit "$UNSUPPORTED_SYSTEM"
    fi
    missing=
    for package in $wanted; do is_installed "$package" || missing="$missing $package"; done
    [ -n "$missing" ] || return 0
    mkdir -p "$STATE_FOLDER"
    printf '%s\n' $missing >> "$INSTALLED_PACKAGES_FILE"
    list_packages > "$STATE_FOLDER/packages-before"
    if command -v apt-get >/dev/null 2>&1; then
        export DEBIAN_FRONTEND=noninteractive
        apt-get -q -o DPkg::Lock::Timeout=300 update
        apt-get -q -y -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confold install --no-install-recommends $missing
    else
        dnf -q -y install $missing
    fi
    list_packages | comm -13 "$STATE_FOLDER/packages-before" - >> "$INSTALLED_PACKAGES_FILE"
    sort -u -o "$INSTALLED_PACKAGES_FILE" "$INSTALLED_PACKAGES_FILE"
    rm -f "$STATE_FOLDER/packages-before"
}
