#!/bin/sh
# certificate-report.sh: a daily report in the system's journal of when kubeadm's certificates end, on each control-plane node.
# Runs as root on all of them; only new ones are changed by a scale, and only leaving ones lose it.
set -eu
unit=/etc/systemd/system/certificate-report

is_among() {
    case " $1 " in
    *" $(hostname) "*) return 0 ;;
    esac
    return 1
}

install_report() {
    printf '[Service]\nType=oneshot\nExecStart=%s certs check-expiration\n' "$(command -v kubeadm)" >"$unit.service"
    printf '[Timer]\nOnCalendar=daily\n[Install]\nWantedBy=timers.target\n' >"$unit.timer"
    systemctl daemon-reload
    systemctl enable --now certificate-report.timer
}

remove_report() {
    systemctl disable --now certificate-report.timer || true
    rm -f "$unit.service" "$unit.timer"
    systemctl daemon-reload
}

case $PULUMI_NFV_EVENT in
scale_start) if is_among "$PULUMI_NFV_REMOVED"; then remove_report; fi ;;
scale_end) if is_among "$PULUMI_NFV_ADDED"; then install_report; fi ;;
terminate_start) remove_report ;;
*) install_report ;;
esac
