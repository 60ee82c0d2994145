#!/bin/sh
# observe-absence.sh: looks which objects of a manifest are there although we deleted them, on a control-plane node.
# inputs: MANIFEST (YAML; empty: there are none)

. shell/lib/as-administrator.sh

. shell/lib/observed.sh

[ -n "$MANIFEST" ] || exit 0
said=$(printf '%s\n' "$MANIFEST" | kubectl --request-timeout=5s get --ignore-not-found -f - -o name)
for object in $said; do differs "$object is there"; done
