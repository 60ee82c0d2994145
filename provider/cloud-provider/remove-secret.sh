#!/bin/sh
# remove-secret.sh: deletes the Secret with the cloud's credentials, on a control-plane node, when no workload mounts it any more: its pods could not start
# again.
# inputs: MANIFEST (YAML)
# constants: SECRET_NAME

. shell/lib/as-administrator.sh
. cloud-provider/ours.sh
. cloud-provider/mounting.sh

file=$(mktemp)
trap 'rm -f "$file"' EXIT
printf '%s\n' "$MANIFEST" > "$file"
# one that others made stays, whoever mounts it
found=$(judged -f "$file")
if [ -z "$(ours_of "$found")" ]; then
    delete_ours "$file"
    exit 0
fi
tries=0
while :; do
    used=$(mounting)
    [ -n "$used" ] || break
    tries=$((tries + 1))
    if [ $tries -ge 10 ]; then
        printf 'the Secret %s stays, because these mount it:\n%s\n' "$SECRET_NAME" "$used" >&2
        exit 1
    fi
    sleep 2
done
delete_ours "$file"
