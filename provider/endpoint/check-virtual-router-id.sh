#!/bin/sh
# check-virtual-router-id.sh: fails if another machine on the network uses our VRRP router id.
# inputs: VRID MASTERS (addresses of the cluster's masters, separated by spaces)
# inputs: LISTENER (Python program: vrrp-listener.ts)
# constants: VRID_IN_USE

. endpoint/find-interface.sh

command -v python3 >/dev/null || { echo "no python3: not looked for others with VRRP id $VRID"; exit 0; }
# An only master advertises by multicast until its keepalived knows the new ones.
# shellcheck disable=SC2015 # without keepalived and without its file there are no further addresses
own=$(echo "$MASTERS"; systemctl -q is-active keepalived.service && cat /etc/keepalived/keepalived.conf || true)
others=$(python3 -c "$LISTENER" "$interface" "$VRID" 1.5) || { echo "could not listen for VRRP"; exit 0; }
for other in $others; do
    # so is an address that keepalived knows here, of a former one
    printf '%s\n' "$own" | grep -qwF "$other" && continue
    echo "$other advertises VRRP id $VRID on $interface already" >&2
    exit "$VRID_IN_USE"
done
