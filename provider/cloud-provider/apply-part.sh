#!/bin/sh
# apply-part.sh: applies the manifest of the cloud controller manager or of Cinder CSI, on a control-plane node. Server-side apply, so that fields that are
# no longer in the text are removed.
# inputs: MANIFEST (YAML)

. shell/lib/as-administrator.sh
. cloud-provider/ours.sh

file=$(mktemp)
trap 'rm -f "$file"' EXIT
printf '%s\n' "$MANIFEST" > "$file"
tries=0
# right after init the API may still refuse for a moment
until refuse_foreign "$file" && kubectl apply --server-side --force-conflicts --field-manager=pulumi-nfv -f "$file"; do
    tries=$((tries + 1))
    [ $tries -lt 10 ] || exit 1
    sleep 2
done
