#!/bin/sh
# upgrade-packages.sh: upgrades the packages that are due. Where no reboot follows, our services restart whose programs or libraries were replaced.
# inputs: PACKAGES REBOOT (ifNeeded, always or never) WORD
# constants: OS_SERVICES
# shellcheck disable=SC2086 # lists of names

. procedures/os/os-packages.sh

. member/request-note.sh

. shell/lib/finish-dpkg.sh

if is_apt; then finish_dpkg; fi
os_changes
os_refuse_removal
if [ -n "$words" ]; then
    os_coming | while read -r name from to _; do echo "$name $from to $to"; done
    if is_apt; then
        # apt takes what is named for wanted by itself; what was there for others stays so
        auto=
        case $words in install*) auto=$(apt-mark showauto ${words#install --only-upgrade}) ;; esac
        os_apt -y --no-remove $words
        [ -z "$auto" ] || apt-mark auto $auto >/dev/null
    else
        os_dnf -y upgrade $words
    fi
fi
follows() { [ "$REBOOT" = always ] || { [ "$REBOOT" = ifNeeded ] && needs_reboot; }; }
if ! follows; then
    for unit in $OS_SERVICES; do
        pid=$(systemctl show -p MainPID --value "$unit" 2>/dev/null) || continue
        case $pid in '' | 0) continue ;; esac
        # the kernel says so of a file that was replaced
        if readlink "/proc/$pid/exe" | grep -q ' (deleted)$' || grep -q '\.so.* (deleted)$' "/proc/$pid/maps"; then
            echo "restarts $unit"
            systemctl restart "$unit"
        fi
    done
fi
sync
request_note os-upgrade "$WORD" upgraded
