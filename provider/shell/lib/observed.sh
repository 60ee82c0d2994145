#!/bin/sh
# observed.sh: functions of scripts that observe what a step left on the machine. They change nothing.
# differs TEXT: notes a difference.
# runs SERVICE: notes it if the service does not run, or is not started at boot.

differs() { printf '%s\n' "$*"; }
runs() {
    systemctl -q is-active "$1" || differs "$1 does not run"
    systemctl -q is-enabled "$1" 2>/dev/null || differs "$1 is not started at boot"
}
