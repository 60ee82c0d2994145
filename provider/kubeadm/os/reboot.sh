#!/bin/sh
# reboot.sh: reboots this machine a moment after this script, unless it has rebooted since its packages were upgraded.
# constants: OS_NOTE

read -r _ _ boot < "$OS_NOTE"
[ "$boot" = "$(cat /proc/sys/kernel/random/boot_id)" ] || exit 0
sync
# a unit of its own, so that the end of this script is heard before; the virtual address leaves while the API server still serves its open connections
systemd-run --quiet --collect --unit nfv-reboot sh -c 'sleep 1; systemctl stop keepalived; sleep 2; exec systemctl reboot' || systemctl is-active --quiet nfv-reboot
