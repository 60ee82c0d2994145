#!/bin/sh
# remove-secret.sh: deletes the Secret with the cloud's credentials, on a control-plane node, when no workload mounts it any more: its pods could not start
# again.
# inputs: MANIFEST (YAML)
# constants: NAMESPACE SECRET_NAME MOUNTS_TEMPLATE

. shell/lib/as-administrator.sh
. cloud-provider/ours.sh

file=$(mktemp)
trap 'rm -f "$file"' EXIT
printf '%s\n' "$MANIFEST" > "$file"
tries=0
while :; do
    used=$(kubectl -n "$NAMESPACE" --request-timeout=20s get daemonsets,deployments,statefulsets -o "go-template=$MOUNTS_TEMPLATE")
    [ -n "$used" ] || break
    tries=$((tries + 1))
    if [ $tries -ge 10 ]; then
        printf 'the Secret %s stays, because these mount it:\n%s\n' "$SECRET_NAME" "$used" >&2
        exit 1
    fi
    sleep 2
done
delete_ours "$file"
