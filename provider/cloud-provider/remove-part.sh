#!/bin/sh
# remove-part.sh: deletes what we made of the cloud controller manager or of Cinder CSI, on a control-plane node. Without the CSI driver the pods that use
# its volumes could neither end nor move, so it stays while a claim is bound to one.
# inputs: MANIFEST (YAML)
# constants: DRIVER (empty: no volumes hang on the part)

. shell/lib/as-administrator.sh
. shell/lib/refuse-foreign.sh

file=$(mktemp)
trap 'rm -f "$file"' EXIT
printf '%s\n' "$MANIFEST" > "$file"
there=$(objects_of "$file")
if [ -n "$DRIVER" ] && printf '%s\n' "$there" | grep -q '[| ]pulumi-nfv '; then
    volumes='{range .items[*]}{.spec.csi.driver} {.status.phase} {.spec.claimRef.namespace}/{.spec.claimRef.name} {.metadata.name}{"\n"}{end}'
    found=$(kubectl --request-timeout=20s get persistentvolumes -o jsonpath="$volumes")
    used=$(printf '%s\n' "$found" | awk -v driver="$DRIVER" '$1 == driver && $2 == "Bound" { print "claim " $3 " (PersistentVolume " $4 ")" }')
    if [ -n "$used" ]; then
        printf 'Cinder CSI is in use; nothing was changed. Delete these claims first, or leave cinderCsi in the program:\n%s\n' "$used" >&2
        exit 1
    fi
fi
delete_ours "$file"
