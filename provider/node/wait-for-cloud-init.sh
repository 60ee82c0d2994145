#!/bin/sh
# wait-for-cloud-init.sh: waits for cloud-init, and shows its log if it failed.

code=0
timeout 600 cloud-init status --wait >/dev/null 2>&1 || code=$?
# 2: done, with errors that cloud-init could live with
case $code in 0 | 2) exit 0 ;; esac
# the last lines are what a person reads first; the report has all of it
{
    tail -n 40 /var/log/cloud-init.log
    cloud-init status --long
    echo "end of /var/log/cloud-init-output.log:"
    tail -n 8 /var/log/cloud-init-output.log
} >&2 2>/dev/null || true
exit 1
