#!/bin/sh
# apply-virtual-address.sh: applies the policy for the virtual address, and also for each former one recorded on this control-plane
# node: until all nodes have moved, some send the API's traffic to it.
# inputs: MANIFEST (the policy for VIP)
# inputs: VIP
# constants: FORMERS_FILE POLICY FORMER_POLICY

formers=$(sed -n 's/.*"vip":{[^}]*"address":"\([^"]*\)".*/\1/p' "$FORMERS_FILE" 2>/dev/null || true)
wanted=$MANIFEST
for former in $formers; do
    [ "$former" != "$VIP" ] || continue
    name=$FORMER_POLICY$(printf '%s' "$former" | tr .: --)
    pattern=$(printf '%s' "$VIP" | sed 's/[.]/[.]/g')
    copy=$(printf '%s\n' "$wanted" | sed "s/$pattern/$former/g; s/$POLICY/$name/g")
    MANIFEST=$(printf '%s\n---\n%s' "$MANIFEST" "$copy")
done
. network/apply-manifest.sh
