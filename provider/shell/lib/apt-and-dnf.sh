#!/bin/sh
# apt-and-dnf.sh: functions by which packages are installed. They remove nothing, and note each package that came with ours, so that the reset can remove it,
# and none that somebody else installs meanwhile. apt, dnf and the script's curl use the proxy if there is one.
# apt_install ARGUMENT…: as apt-get install. dnf_install NAMES ARGUMENT…: as dnf install; these names are noted if dnf's answer cannot be read.
# apt_with_locks COMMAND…: runs apt-get again for five minutes while others hold the lock of its lists or of its archives: DPkg::Lock::Timeout is for those of dpkg alone.
# dnf_plan ARGUMENT…: sets $changes to what dnf install would do (dnf-changes.sh), and refuses if it removes anything.
# constants: FOREIGN_SOFTWARE STATE_FOLDER INSTALLED_PACKAGES_FILE
# shellcheck disable=SC2086 # lists of names, separated by spaces

# systemd gives services the language of the machine, and messages are looked for in English
LC_ALL=C; export LC_ALL

. shell/lib/use-proxy.sh

. shell/lib/apt-changes.sh

. shell/lib/dnf-changes.sh

refuse_removal() {
    [ -n "$1" ] || return 0
    printf 'to install our packages, the package manager would remove these of others: %s; nothing was installed or removed\n' "$1" >&2
    exit "$FOREIGN_SOFTWARE"
}
apt_with_locks() {
    mkdir -p "$STATE_FOLDER"
    until_then=$(($(date +%s) + 300))
    while :; do
        code=0
        # a file, because a service that a package starts may keep a pipe open
        "$@" 2> "$STATE_FOLDER/apt-errors" || code=$?
        if [ $code != 100 ] || [ "$(date +%s)" -ge "$until_then" ] || ! grep -q 'ould not get lock' "$STATE_FOLDER/apt-errors"; then break; fi
        sleep 5
    done
    cat "$STATE_FOLDER/apt-errors" >&2
    rm -f "$STATE_FOLDER/apt-errors"
    return $code
}
apt_install() {
    mkdir -p "$STATE_FOLDER"
    touch "$INSTALLED_PACKAGES_FILE"
    # apt calls it with its transaction, while it holds dpkg's lock and before it unpacks: whatever others install before or after is not in it.
    # A package that somebody removed and did not purge is not noted, because our purge would delete his settings.
    cat > "$STATE_FOLDER/note-packages" <<'END'
awk 'begun && $2 == "-" && $5 ~ "^/" { print $1 } $0 == "" { begun = 1 }' | while read -r name; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = config-files ] || printf '%s\n' "$name"
done >> "$1"
sync -- "$1"
END
    # needrestart would restart services in the middle, perhaps the one that runs this script
    export DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1
    set -- -q -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confold install --no-install-recommends "$@"
    simulate_apt apt-get -s "$@"
    refuse_removal "$(printf '%s\n' "$said" | apt_removed)"
    # what others install after this look must not be removed either, so --no-remove
    code=0
    apt_with_locks apt-get -y --no-remove -o "DPkg::Pre-Install-Pkgs::=/usr/bin/env sh $STATE_FOLDER/note-packages $INSTALLED_PACKAGES_FILE" \
        -o DPkg::Tools::Options::/usr/bin/env::Version=2 "$@" || code=$?
    rm -f "$STATE_FOLDER/note-packages"
    [ "$code" = 0 ] || {
        # others may install later what did not come with us
        noted=$(cat "$INSTALLED_PACKAGES_FILE")
        for package in $noted; do
            dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qvE '^(config-files|not-installed)$' || sed -i "/^$package\$/d" "$INSTALLED_PACKAGES_FILE"
        done
        exit "$code"
    }
}
dnf_plan() {
    # dnf ends with an error, because the answer is no
    said=$(dnf --setopt=assumeyes=0 --assumeno install "$@" 2>&1 || true)
    # without an answer nothing is known of what it would remove
    case $said in
        *"Transaction Summary"* | *"peration aborted"* | *"othing to do"*) ;;
        *) printf '%s\n' "$said" | tail -n 5 >&2; exit 1 ;;
    esac
    changes=$(printf '%s\n' "$said" | dnf_changes || true)
    refuse_removal "$(printf '%s\n' "$changes" | awk '$1 == "remove" { printf "%s%s", space, $2; space = " " }')"
}
dnf_install() {
    unread=$1
    shift
    dnf_plan "$@"
    coming=
    for package in $(printf '%s\n' "$changes" | awk '$1 == "install" { print $2 }') $unread; do
        rpm -q --quiet "$package" || coming="$coming $package"
    done
    mkdir -p "$STATE_FOLDER"
    touch "$INSTALLED_PACKAGES_FILE"
    # first, so that a killed run misses none
    [ -z "$coming" ] || printf '%s\n' $coming | sort -u >> "$INSTALLED_PACKAGES_FILE"
    code=0
    dnf -q -y install "$@" || code=$?
    # others may install later what did not come with us
    for package in $coming; do
        rpm -q --quiet "$package" || sed -i "/^$package\$/d" "$INSTALLED_PACKAGES_FILE"
    done
    [ "$code" = 0 ] || exit "$code"
}
