#!/bin/sh
# purge-packages.sh: purge_packages OURS KEPT (lists of names) purges the packages of OURS that are installed, except
# those in KEPT and those that a package which is not ours needs now. A package manager would remove dependent packages
# too, so the removal is simulated first. If it would remove anything else, the packages are tried one by one, until the
# rest removes nothing else.
# shellcheck disable=SC2016,SC2086,SC2116 # awk's variables; lists of names, separated by spaces; echo joins lines

# what else would be removed (or installed) with the packages of the arguments; "?" where that cannot be found out
taken_along() {
    if command -v apt-get >/dev/null; then
        if said=$(apt-get -s -q -o DPkg::Lock::Timeout=300 purge "$@" 2>/dev/null); then
            printf '%s\n' "$said" | sed -n 's/^\(Purg\|Remv\|Inst\) \([^ ]*\).*/\2/p'
        else
            echo '?'
        fi
    # an rpm that was killed in the middle of an upgrade leaves a package in two versions, and refuses the name alone
    elif said=$(rpm -e --allmatches --test "$@" 2>&1); then
        :
    else
        wanting=$(printf '%s\n' "$said" | sed -n 's/.* is needed by (installed) //p')
        if [ -n "$wanting" ]; then rpm -q --qf '%{NAME}\n' $wanting; else echo '?'; fi
    fi | while read -r name; do
        printf '%s\n' $purged | grep -qxF -- "$name" || echo "$name"
    done
}
# sets purged: without the packages $1
keep_packages() {
    rest=
    for package in $purged; do
        case " $1 " in *" $package "*) ;; *) rest="$rest $package" ;; esac
    done
    purged=$rest
}
purge_packages() {
    purged=
    for package in $1; do
        if command -v apt-get >/dev/null; then
            [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || continue
        else
            rpm -q --quiet "$package" || continue
        fi
        purged="$purged $package"
    done
    ours=$purged
    keep_packages "$2"
    while [ -n "$purged" ]; do
        others=$(taken_along $purged)
        [ -n "$others" ] || break
        wanted=
        for package in $purged; do
            [ -z "$(taken_along "$package")" ] || wanted="$wanted $package"
        done
        # no single one of them is to blame: all stay
        [ -n "$wanted" ] || wanted=$purged
        echo "stay, because of $(echo $others): $(echo $wanted)"
        keep_packages "$wanted"
    done
    # what stays may be updated again
    if command -v apt-mark >/dev/null && [ -n "$ours" ]; then apt-mark unhold $ours >/dev/null 2>&1 || true; fi
    [ -n "$purged" ] || return 0
    echo "purge $(echo $purged)"
    if command -v apt-get >/dev/null; then
        # others may install something that needs them while apt waits for dpkg's lock, so its transaction is compared before dpkg gets it
        check='$5 == "**REMOVE**" && !index(ENVIRON["PURGED"], " " $1 " ") { print $1 " needs them now" > "/dev/stderr"; bad = 1 } END { exit bad }'
        DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 -o DPkg::Tools::Options::/usr/bin/env::Version=2 \
            -o "DPkg::Pre-Install-Pkgs::=/usr/bin/env PURGED=' $(echo $purged) ' awk '$check'" purge $purged >/dev/null
    else
        # dnf itself would also take what nothing needs any more
        dnf -q -y remove --noautoremove $purged
    fi
}
