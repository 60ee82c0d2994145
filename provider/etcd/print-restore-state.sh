#!/bin/sh
# print-restore-state.sh: prints what a restore needs to know of this machine, as lines name=value.
# constants: ETCD_ASIDE ETCD_DATA KUBERNETES_FOLDER MEMBER_FILE PKI_FOLDER RESTORED_NOTE

. shell/lib/usual-path.sh

. kubeadm/lib/etcd-over-http.sh

echo "member=$(cat "$MEMBER_FILE" 2> /dev/null || true)"
echo "name=$(etcd_flag name)"
echo "peer=$(etcd_flag initial-advertise-peer-urls)"
echo "folder=$(etcd_flag data-dir)"
said=$(etcd_http -d '{}' https://127.0.0.1:2379/v3/maintenance/status || true)
echo "revision=$(printf '%s\n' "$said" | sed -n 's/.*"revision":"\([0-9]*\)".*/\1/p')"
echo "begun=$(cat "$ETCD_DATA/pulumi-nfv-restore/note" 2> /dev/null || true)"
echo "stopped=$(if [ -e "$ETCD_ASIDE" ]; then echo yes; fi)"
echo "done=$(cat "$RESTORED_NOTE" 2> /dev/null || true)"
