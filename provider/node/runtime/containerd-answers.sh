#!/bin/sh
# containerd-answers.sh: wait_for_containerd [HOW] waits for containerd's socket, or prints the end of its log and exits. It also judges a start that failed:
# systemctl does not say why.

wait_for_containerd() {
    for _ in $(seq 100); do
        if ctr version >/dev/null 2>&1; then return 0; fi
        sleep 0.2
    done
    echo "containerd does not answer${1:+ $1}" >&2
    journalctl -u containerd.service -n 20 --no-pager >&2 || true
    exit 1
}
