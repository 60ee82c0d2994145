#!/bin/bash
# ovsdb.sh: the database of Open vSwitch. It is empty after a start of the cloud: Neutron and Nova fill it.
set -eu
database=/cloud/run/openvswitch.db
mkdir -p /run/openvswitch
[ -e "$database" ] || ovsdb-tool create "$database" /usr/share/openvswitch/vswitch.ovsschema
exec ovsdb-server "$database" --remote=punix:/run/openvswitch/db.sock -vsyslog:off
