#!/bin/sh
# apply-manifest.sh: applies a manifest, on a control-plane node. Server-side apply, so that fields that are no longer in
# the text are removed.
# inputs: MANIFEST (YAML; empty: nothing to do)

. shell/lib/as-administrator.sh

[ -n "$MANIFEST" ] || exit 0
file=$(mktemp)
trap 'rm -f "$file"' EXIT
printf '%s\n' "$MANIFEST" > "$file"
tries=0
# right after init the API may still refuse for a moment
until kubectl apply --server-side --force-conflicts --field-manager=pulumi-nfv -f "$file"; do
    tries=$((tries + 1))
    [ $tries -lt 10 ] || exit 1
    sleep 2
done
