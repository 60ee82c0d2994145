#!/bin/sh
# reboot.sh: reboots this machine a moment after this script, unless it has rebooted since its packages were upgraded. On a control-plane node it gives the
# lead of etcd to another member before, so that no election interrupts the API, and then the virtual address, while its API server still serves.
# constants: KUBERNETES_FOLDER REQUEST_NOTES

. shell/lib/usual-path.sh

. member/lib/etcd-over-http.sh

read -r _ _ boot < "$REQUEST_NOTES/os-upgrade"
[ "$boot" = "$(cat /proc/sys/kernel/random/boot_id)" ] || exit 0
sync
numbers() { tr ',{}' '\n' | sed -n "s/^\"$1\":\"\([0-9]*\)\"$/\1/p"; }
if [ -e "$KUBERNETES_FOLDER/manifests/etcd.yaml" ]; then
    status=$(etcd_http -d '{}' https://127.0.0.1:2379/v3/maintenance/status) || status=
    own=$(printf '%s' "$status" | numbers member_id)
    if [ -n "$own" ] && [ "$own" = "$(printf '%s' "$status" | numbers leader)" ]; then
        other=$(etcd_http -d '{}' https://127.0.0.1:2379/v3/cluster/member/list | numbers ID | grep -vx "$own" | head -n 1) || other=
        # without it the others elect one
        [ -z "$other" ] || etcd_http -d "{\"targetID\":\"$other\"}" https://127.0.0.1:2379/v3/maintenance/transfer-leadership >/dev/null || true
    fi
fi
# a unit of its own, so that the end of this script is heard before; a machine that refuses to reboot serves the virtual address again
# shellcheck disable=SC2016 # for the shell of that unit
systemd-run --quiet --collect --unit nfv-reboot sh -c '
    sleep 1
    served=$(systemctl is-active keepalived)
    systemctl stop keepalived
    sleep 2
    systemctl reboot || [ "$served" != active ] || systemctl start keepalived' || systemctl is-active --quiet nfv-reboot
