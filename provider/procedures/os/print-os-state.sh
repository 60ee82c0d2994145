#!/bin/sh
# print-os-state.sh: prints which packages of the operating system are due, as the machine's lists have it, and whether it needs a reboot. It changes nothing.
# inputs: PACKAGES

. procedures/os/os-packages.sh

. member/request-note.sh

# shellcheck disable=SC2034 # dnf asks no server
cached=-C
echo "note=$(cat "$REQUEST_NOTES/os-upgrade" 2>/dev/null || true)"
echo "boot=$(boot_id)"
echo "kernel=$(uname -r)"
if needs_reboot; then echo "reboot=yes $(newest_kernel)"; fi
for lists in /var/lib/apt/lists /var/cache/dnf /var/cache/libdnf5; do
    # a folder without lists knows nothing
    if [ -d $lists ] && { [ $lists != /var/lib/apt/lists ] || find $lists -maxdepth 1 -name '*_Packages*' | grep -q .; }; then echo "lists=$(date -u -r $lists +%F)"; break; fi
done
os_changes
[ -z "$words" ] || os_coming | sed 's/^/package=/'
echo "removes=$(os_removed)"
