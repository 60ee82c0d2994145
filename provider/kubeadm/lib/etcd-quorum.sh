#!/bin/sh
# etcd-quorum.sh: refuse_without_quorum ends the script where etcd is not healthy on all control-plane nodes: its member here is about to restart.
# constants: QUORUM_AT_RISK

. kubeadm/lib/etcdctl.sh

refuse_without_quorum() {
    if e endpoint health --cluster >/dev/null 2>&1; then return 0; fi
    echo "etcd is not healthy on all masters: a restart of it here could cost the quorum" >&2
    exit "$QUORUM_AT_RISK"
}
