#!/bin/sh
# without-restarts.sh: without_restarts COMMAND… installs packages whose scripts must restart no service: their systemctl then changes files only.

without_restarts() {
    export SYSTEMD_OFFLINE=1
    "$@"
    unset SYSTEMD_OFFLINE
    systemctl daemon-reload
}
