#!/bin/sh
# missing-objects.sh: prints which objects of a manifest do not exist, one per line, on a control-plane node. Fails if that
# cannot be determined.
# inputs: MANIFEST (YAML; empty: nothing to do)

. shell/lib/as-administrator.sh

[ -n "$MANIFEST" ] || exit 0
if said=$(printf '%s\n' "$MANIFEST" | kubectl --request-timeout=20s get -f - -o name 2>&1 >/dev/null); then exit 0; fi
missing=$(printf '%s\n' "$said" | grep -E '\(NotFound\)|no matches for kind' || true)
[ -n "$missing" ] || { printf '%s\n' "$said" >&2; exit 1; }
printf '%s\n' "$missing"
