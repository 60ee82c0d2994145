#!/bin/sh
# fetch-packages.sh: reads the lists of the repositories and downloads the packages that are due. Nothing is installed.
# inputs: PACKAGES
# shellcheck disable=SC2086 # lists of names

. procedures/os/os-packages.sh

. shell/lib/finish-dpkg.sh

if is_apt; then
    # apt downloads nothing while it is so
    finish_dpkg
    code=0
    # the option makes a repository that does not answer an error; an older apt does not know it
    told=$(os_apt -o APT::Update::Error-Mode=any update 2>&1) || code=$?
    if [ $code != 0 ] || printf '%s\n' "$told" | grep -qE '^(W: Failed to fetch|Err:)'; then
        printf '%s\n' "$told" | grep -E '^(E|W|Err)' >&2 || printf '%s\n' "$told" >&2
        exit 100
    fi
else
    dnf -q -y makecache
fi
os_changes
os_refuse_removal
[ -n "$words" ] || exit 0
if is_apt; then os_apt -y -d --no-remove $words; else os_dnf -y upgrade --downloadonly $words; fi
