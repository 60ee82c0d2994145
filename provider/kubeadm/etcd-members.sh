#!/bin/sh
# etcd-members.sh: prints etcd's members and the health of each endpoint: two lines of JSON.

. shell/lib/as-administrator.sh

. kubeadm/lib/etcdctl.sh

e member list -w json | tr -d '\n'
echo
{ e endpoint health --cluster -w json 2>/dev/null || true; } | tr -d '\n'
echo
