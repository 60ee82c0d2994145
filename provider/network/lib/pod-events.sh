#!/bin/sh
# pod-events.sh: pod_events NAMESPACE POD prints what the cluster last noted of a pod, such as why it has no network. On a control-plane node.

pod_events() {
    kubectl --request-timeout=10s -n "$1" get events --field-selector "involvedObject.name=$2" --sort-by=.lastTimestamp --no-headers \
        -o custom-columns=REASON:.reason,MESSAGE:.message 2>/dev/null | tail -n 2 | cut -c 1-300 | sed 's/^/        /'
}
