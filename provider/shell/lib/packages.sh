#!/bin/sh
# packages.sh: install_packages installs those of $APT_PACKAGES or $DNF_PACKAGES that are missing, as apt-and-dnf.sh says, whose functions it brings along.
# inputs: APT_PACKAGES DNF_PACKAGES (names, separated by spaces)
# constants: INSTALLED_PACKAGES_FILE UNSUPPORTED_SYSTEM
# shellcheck disable=SC2086 # lists of names, separated by spaces

. shell/lib/apt-and-dnf.sh

. shell/lib/is-installed.sh

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
    if command -v apt-get >/dev/null 2>&1; then
        apt_with_locks apt-get -q update
        apt_install $missing
    else
        dnf_install "$missing" $missing
    fi
    sort -u -o "$INSTALLED_PACKAGES_FILE" "$INSTALLED_PACKAGES_FILE"
}
