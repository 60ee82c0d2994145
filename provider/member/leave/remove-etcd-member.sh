#!/bin/sh
# remove-etcd-member.sh: removes a member of etcd.
# inputs: MEMBER (its id)

. shell/lib/as-administrator.sh

. kubeadm/lib/etcdctl.sh

if e member remove "$MEMBER"; then exit 0; fi
# the API server of the member that goes may have carried this: then the answer is lost, and the next ones for a moment
tries=0
# an empty list is no proof
until members=$(e member list) && [ -n "$members" ]; do
    tries=$((tries + 1))
    if [ $tries -ge 6 ]; then exit 1; fi
    sleep 2
done
if printf '%s\n' "$members" | grep -q "^$MEMBER,"; then exit 1; fi
echo "etcd does not list $MEMBER any more"
