#!/bin/sh
# os-packages.sh: functions for upgrades of the operating system's packages. They remove no package, keep changed configuration files, and never touch
# Kubernetes' own packages: a pin for the time of the script keeps these, so a script that is killed leaves no hold behind.
# os_changes sets $words, what apt-get is to do (empty: nothing), and $said, apt's simulation of it; with dnf $words are the names of the packages.
# os_coming prints a line "NAME FROM TO SECURITY" for each package that then comes, as apt_coming.
# os_removed prints the packages that would go. os_refuse_removal refuses then. newest_kernel prints the newest installed one of the running one's kind.
# needs_reboot succeeds if a newer kernel or a package asks for it.
# inputs: PACKAGES (all, security, or patterns of names, separated by spaces)
# constants: BOOT_FOLDER FOREIGN_SOFTWARE KUBERNETES_PACKAGES UNSUPPORTED_SYSTEM
# shellcheck disable=SC2086,SC2154 # lists of names; $work

. shell/lib/usual-path.sh

. shell/lib/use-proxy.sh

. shell/lib/apt-changes.sh

. shell/lib/dnf-changes.sh

. shell/lib/work-folder.sh

# patterns are no file names
set -f
# needrestart would restart services in the middle, perhaps the one that runs this script
export DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1 LC_ALL=C
is_apt() { command -v apt-get >/dev/null 2>&1; }
is_apt || command -v dnf >/dev/null 2>&1 || {
    echo "neither apt-get nor dnf on this machine" >&2
    exit "$UNSUPPORTED_SYSTEM"
}
os_apt() {
    apt-get -q -o Dir::Etc::Preferences="$work/pins" -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold "$@"
}
# OPTIONS COMMAND ARGUMENT…; dnf5 knows --security behind the command only
os_dnf() {
    security=
    if [ "$PACKAGES" = security ]; then security=--security; fi
    options=$1 command=$2
    shift 2
    dnf -q ${cached:-} --exclude="$(echo $KUBERNETES_PACKAGES | tr ' ' ',')" $options "$command" $security "$@"
}
is_kubernetes() { case " $KUBERNETES_PACKAGES " in *" ${1%:*} "*) return 0 ;; esac; return 1; }
is_wanted() {
    ! is_kubernetes "$1" || return 1
    case $PACKAGES in all) return 0 ;; security) [ "$2" = security ]; return ;; esac
    for pattern in $PACKAGES; do
        # shellcheck disable=SC2254 # a pattern
        case ${1%:*} in $pattern) return 0 ;; esac
    done
    return 1
}
# a line "NAME VERSION" for each
dnf_due() { awk '/^Obsoleting/ { exit } NF == 3 && $1 ~ /\./ { sub(/\.[^.]*$/, "", $1); print $1, $2 }' "$work/due"; }
os_coming() {
    if is_apt; then printf '%s\n' "$said" | apt_coming; return; fi
    dnf -q check-upgrade --security 2>/dev/null | awk 'NF == 3 { sub(/\.[^.]*$/, "", $1); print $1 }' > "$work/security" || true
    printf '%s\n' "$said" | while read -r name version; do
        from=$(rpm -q --qf '%{VERSION}-%{RELEASE}\n' "$name" 2>/dev/null | tail -n 1) || from=-
        if grep -qxF "$name" "$work/security"; then kind=security; else kind=-; fi
        echo "$name ${from:--} $version $kind"
    done
}
os_changes() {
    if ! is_apt; then
        # 100: something is due; all else but 0 is no answer
        os_dnf -y check-upgrade > "$work/due" || [ $? -eq 100 ] || exit 1
        said=$(dnf_due | while read -r name version; do
            # what --security leaves is wanted
            if [ "$PACKAGES" = security ] || is_wanted "$name" -; then echo "$name $version"; fi
        done)
        words=$(printf '%s\n' "$said" | cut -d ' ' -f 1 | tr '\n' ' ')
        words=${words% }
        return
    fi
    { cat /etc/apt/preferences 2>/dev/null || true; } > "$work/pins"
    for name in $KUBERNETES_PACKAGES; do
        version=$(dpkg-query -W -f '${Version}' "$name" 2>/dev/null) || continue
        [ -z "$version" ] || printf '\n\nPackage: %s\nPin: version %s\nPin-Priority: 32767\n' "$name" "$version" >> "$work/pins"
    done
    words="upgrade --with-new-pkgs"
    simulate_apt os_apt -s $words
    if [ "$PACKAGES" != all ]; then
        words=$(printf '%s\n' "$said" | apt_coming | while read -r name from _ kind; do
            if [ "$from" != - ] && is_wanted "$name" "$kind"; then printf ' %s' "$name"; fi
        done)
        [ -z "$words" ] || words="install --only-upgrade$words"
        said=
        [ -z "$words" ] || simulate_apt os_apt -s $words
    fi
    [ -n "$(printf '%s\n' "$said" | apt_coming)" ] || words=
}
os_removed() {
    [ -n "$words" ] || return 0
    if is_apt; then
        printf '%s\n' "$said" | apt_removed
        return
    fi
    { os_dnf '--setopt=assumeyes=0 --assumeno' upgrade $words 2>&1 || true; } | dnf_changes | awk '$1 == "remove" { print $2 }' | tr '\n' ' '
}
os_refuse_removal() {
    # a pin of somebody else may be as strong as ours
    for name in $([ -z "$words" ] || os_coming | cut -d ' ' -f 1); do
        ! is_kubernetes "$name" || {
            printf 'the upgrade would move %s to another version, which is not its to choose: see the pins in /etc/apt/preferences.d; nothing was changed\n' "$name" >&2
            exit "$FOREIGN_SOFTWARE"
        }
    done
    gone=$(os_removed)
    [ -n "$gone" ] || return 0
    printf 'the upgrade would remove these packages: %s; nothing was changed\n' "$gone" >&2
    exit "$FOREIGN_SOFTWARE"
}
newest_kernel() {
    kind=$(uname -r | sed -E 's/^[^-]*-([0-9][^-]*-)?//')
    # 6.1.0-25-cloud-amd64, or 5.14.0-362.el9.x86_64
    case $kind in [0-9]*) kind=".*\\.${kind##*.}" ;; *) kind="-([0-9][^-]*-)?$kind" ;; esac
    find "$BOOT_FOLDER" -maxdepth 1 -name 'vmlinuz-[0-9]*' 2>/dev/null | sed 's#.*/vmlinuz-##' | grep -E -- "^[^-]*$kind\$" | sort -V | tail -n 1
}
needs_reboot() {
    [ ! -e /run/reboot-required ] || return 0
    newest=$(newest_kernel)
    if [ -n "$newest" ] && [ "$(printf '%s\n%s\n' "$newest" "$(uname -r)" | sort -V | tail -n 1)" != "$(uname -r)" ]; then return 0; fi
    # 0: no reboot is needed
    ! is_apt && command -v needs-restarting >/dev/null && ! needs-restarting -r >/dev/null 2>&1
}
