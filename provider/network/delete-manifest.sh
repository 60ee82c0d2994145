#!/bin/sh
# delete-manifest.sh: deletes what a manifest names, on a control-plane node.
# inputs: MANIFEST (YAML; empty: nothing to do)

. shell/lib/as-administrator.sh

[ -n "$MANIFEST" ] || exit 0
printf '%s\n' "$MANIFEST" | kubectl delete --ignore-not-found --wait=false -f -
