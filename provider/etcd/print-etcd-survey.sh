#!/bin/sh
# print-etcd-survey.sh: prints what this machine's etcd says about itself and its cluster, as lines name=value.
# constants: ETCD_ASIDE ETCD_DATA KUBERNETES_FOLDER PKI_FOLDER

. shell/lib/usual-path.sh

. member/lib/etcd-over-http.sh

yes_if() { if "$@" >/dev/null 2>&1; then echo yes; else echo no; fi; }
has_data() { [ -s "$ETCD_DATA"/member/snap/db ] || [ -s "$ETCD_DATA"/new-cluster/data/member/snap/db ]; }
half_done() { [ -e "$ETCD_ASIDE" ] && [ ! -e "$KUBERNETES_FOLDER"/manifests/etcd.yaml ]; }
# one that is only slow has a leader most of the time
healthy() { for _ in 1 2 3; do if etcd_is_healthy; then return 0; fi; sleep 2; done; return 1; }
echo "curl=$(yes_if command -v curl)"
echo "data=$(yes_if has_data)"
echo "halfDone=$(yes_if half_done)"
echo "healthy=$(yes_if healthy)"
echo "members=$(etcd_members)"
