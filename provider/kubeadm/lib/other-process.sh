#!/bin/sh
# other-process.sh: other_process NAME PID waits, at most 90 s, until the oldest process of this name is another one.
# kubelet notices a changed manifest with a delay, and a server that is asked to end keeps answering for a while. A readiness
# check alone would reach the former process, and the next control-plane node would follow too early.

other_process() {
    waited=0
    while [ "$(pgrep -o -x "$1" || true)" = "$2" ] && [ $waited -lt 90 ]; do waited=$((waited + 1)); sleep 1; done
}
