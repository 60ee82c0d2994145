#!/bin/sh
# mounting.sh: mounting: prints "KIND NAME" of each workload that mounts the Secret with the cloud's credentials.
# constants: NAMESPACE MOUNTS_TEMPLATE

mounting() {
    kubectl -n "$NAMESPACE" --request-timeout=20s get daemonsets,deployments,statefulsets -o "go-template=$MOUNTS_TEMPLATE"
}
