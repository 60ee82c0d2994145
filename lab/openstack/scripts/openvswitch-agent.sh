#!/bin/bash
# openvswitch-agent.sh WORD...: makes what Neutron's agent expects, then becomes the agent.
# The APIs listen on br-ex, a bridge of the kernel, so that they keep their address when Open vSwitch ends. A veth pair joins it with
# br-public, the same network in Open vSwitch.
set -eu
if ! ip link show public-ovs >/dev/null 2>&1; then
    ip link add public-kernel type veth peer name public-ovs
    # What Open vSwitch reads from a card has no checksum as long as the kernel leaves that to the card.
    ethtool -K public-kernel tx off >/dev/null
    ip link set public-kernel master br-ex up
    ip link set public-ovs up
fi
ovs-vsctl --timeout=60 \
    -- --may-exist add-br br-public -- set Bridge br-public datapath_type=netdev \
    -- --may-exist add-port br-public public-ovs
exec neutron-openvswitch-agent "$@"
