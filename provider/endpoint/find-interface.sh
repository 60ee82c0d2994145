#!/bin/sh
# find-interface.sh: sets $interface to the interface that is to carry the virtual address.
# inputs: VIP_INTERFACE (empty: the interface that has ADDRESS)
# inputs: ADDRESS (of this node)

interface=$VIP_INTERFACE
[ -n "$interface" ] || interface=$(ip -o address show to "$ADDRESS" | awk '{ print $2; exit }')
[ -n "$interface" ] || { echo "no network interface has the address $ADDRESS" >&2; exit 1; }
