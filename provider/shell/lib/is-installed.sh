#!/bin/sh
# is-installed.sh: is_installed NAME succeeds if the package, or with rpm one that provides it, is installed.

is_installed() {
    if command -v dpkg-query >/dev/null 2>&1; then
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
    else
        rpm -q --quiet "$1" || rpm -q --quiet --whatprovides "$1"
    fi
}
