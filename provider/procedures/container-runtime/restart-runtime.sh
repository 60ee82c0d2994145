#!/bin/sh
# restart-runtime.sh: restarts containerd, unless it has started since the note that its turn began. Containers go on: each has a process of its own that keeps it.
# constants: REQUEST_NOTES

. shell/lib/usual-path.sh

. procedures/lib/started-since.sh

. node/runtime/containerd-answers.sh

pid=$(systemctl show -p MainPID --value containerd.service)
if [ "$pid" = 0 ] || ! started_since "$pid" "$REQUEST_NOTES/container-runtime"; then
    systemctl restart containerd.service || wait_for_containerd "after its restart"
fi
wait_for_containerd "after its restart"
