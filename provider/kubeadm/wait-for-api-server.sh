#!/bin/sh
# wait-for-api-server.sh: waits until the API server of this control-plane node answers.

. shell/lib/usual-path.sh

. kubeadm/lib/own-api-server.sh

. kubeadm/lib/former-kubelet.sh

. kubeadm/lib/staged-certificate.sh

. kubeadm/lib/former-manifests.sh

repair_kubelet_of_master
recover_api_server
wait_for_own_api_server
