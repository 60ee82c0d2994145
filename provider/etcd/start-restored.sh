#!/bin/sh
# start-restored.sh: etcd and what uses it start with the restored data. They wait for the other control-plane nodes, which start at the same time.
# inputs: SNAPSHOT WORD
# constants: ETCD_ASIDE ETCD_DATA KUBERNETES_FOLDER PKI_FOLDER RESTORED_NOTE RESTORE_ASIDE RESTORE_FAILED

. shell/lib/usual-path.sh

. member/lib/etcd-over-http.sh

. member/lib/own-api-server.sh

. etcd/lib/restore-state.sh

if is_restored; then exit 0; fi
need_prepared
if [ ! -e "$work/exchanged" ]; then refuse "its data was not exchanged"; fi
for component in etcd kube-apiserver kube-controller-manager kube-scheduler; do
    if [ -e "$aside/$component.yaml" ]; then mv "$aside/$component.yaml" "$manifests/$component.yaml"; fi
done
sync -f "$KUBERNETES_FOLDER"
systemctl start kubelet.service
end=$(($(date +%s) + 300))
until etcd_is_healthy; do
    if [ "$(date +%s)" -ge "$end" ]; then
        say_why
        refuse "etcd finds no majority with the restored data. Run pulumi up again. Its former data is in $ETCD_DATA/before-restore-*"
    fi
    sleep 1
done
wait_for_own_api_server
note_restored "$WORD" "$SNAPSHOT"
rm -rf "$work" "$RESTORE_ASIDE"
start_timer
