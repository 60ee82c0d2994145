#!/bin/sh
# remove-cinder-csi.sh: deletes Cinder CSI, on a control-plane node. Without it the pods that use its volumes could neither end nor move, so it stays while
# a claim is bound to one.
# inputs: MANIFEST (YAML)
# constants: DRIVER

. shell/lib/as-administrator.sh

volumes='{range .items[*]}{.spec.csi.driver} {.status.phase} {.spec.claimRef.namespace}/{.spec.claimRef.name} {.metadata.name}{"\n"}{end}'
found=$(kubectl --request-timeout=20s get persistentvolumes -o jsonpath="$volumes")
used=$(printf '%s\n' "$found" | awk -v driver="$DRIVER" '$1 == driver && $2 == "Bound" { print "claim " $3 " (PersistentVolume " $4 ")" }')
if [ -n "$used" ]; then
    printf 'Cinder CSI is in use, and stays with everything else. Delete these claims first, or leave cinderCsi in the program:\n%s\n' "$used" >&2
    exit 1
fi
printf '%s\n' "$MANIFEST" | kubectl delete --ignore-not-found --wait=false -f -
