#!/bin/sh
# remove-etcd-member.sh: removes a member of etcd.
# inputs: MEMBER (its id)

. shell/lib/as-administrator.sh

. kubeadm/lib/etcdctl.sh

if e member remove "$MEMBER"; then exit 0; fi
members=$(e member list)
# an empty list is no proof
if [ -z "$members" ] || printf '%s\n' "$members" | grep -q "^$MEMBER,"; then exit 1; fi
echo "etcd does not list $MEMBER any more"
