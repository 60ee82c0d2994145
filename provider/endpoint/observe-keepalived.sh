#!/bin/sh
# observe-keepalived.sh: looks whether keepalived runs with the configuration that we wrote.
# constants: TEMPLATE INTERFACE_PLACEHOLDER

. shell/lib/observed.sh
. endpoint/find-interface.sh

sed "s/$INTERFACE_PLACEHOLDER/$interface/" "$TEMPLATE" | cmp -s - /etc/keepalived/keepalived.conf ||
    differs "/etc/keepalived/keepalived.conf has changed"
runs keepalived.service
