#!/bin/sh
# check-virtual-address.sh: fails if a machine that is no control-plane node of this cluster has the virtual address.
# inputs: VIP PORT (the endpoint)
# inputs: AUTHORITY (hash of the key of the cluster's authority)
# inputs: MASTERS (IPv4 addresses of the control-plane nodes)
# inputs: PROBE (Python program: address-probe.ts)
# constants: GUARD_RULES ADDRESS_IN_USE
# shellcheck disable=SC2086,SC2116 # a list of addresses; echo joins lines

. shell/lib/usual-path.sh

! grep -qwF "$VIP" "$GUARD_RULES" 2>/dev/null || exit 0
case $VIP in *:*) echo "$VIP is no IPv4 address: not looked who has it"; exit 0 ;; esac
[ -z "$(ip -o address show to "$VIP")" ] || exit 0
. endpoint/find-interface.sh
command -v python3 >/dev/null || { echo "no python3: not looked who has $VIP"; exit 0; }
others=$(python3 -c "$PROBE" "$interface" "$VIP" 1.6 "$PORT" "$AUTHORITY" $MASTERS) || { echo "could not look who has $VIP"; exit 0; }
[ -n "$others" ] || exit 0
printf '%s answers for %s on %s already (ARP), and it is no master of this cluster\n' "$(echo $others)" "$VIP" "$interface" >&2
exit "$ADDRESS_IN_USE"
