#!/bin/sh
# observe-removed.sh: looks which objects of a manifest are there although we deleted them, on a control-plane node. Those of others do not count.
# inputs: MANIFEST (YAML)

. shell/lib/as-administrator.sh
. shell/lib/observed.sh
. cloud-provider/ours.sh

file=$(mktemp)
trap 'rm -f "$file"' EXIT
printf '%s\n' "$MANIFEST" > "$file"
found=$(judged -f "$file")
ours_of "$found" | while read -r kind name place; do differs "${place:+$place/}$kind $name is there"; done
