#!/bin/sh
# observe-packages.sh: looks which of the step's packages are no longer installed.
# inputs: APT_PACKAGES DNF_PACKAGES (names, separated by spaces)

. shell/lib/observed.sh

. shell/lib/is-installed.sh

if command -v dpkg-query >/dev/null 2>&1; then wanted=$APT_PACKAGES; else wanted=$DNF_PACKAGES; fi
for package in $wanted; do is_installed "$package" || differs "the package $package is gone"; done
