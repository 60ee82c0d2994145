#!/bin/sh
# wait-for-api-server.sh: waits until the API server of this control-plane node answers.

. shell/lib/usual-path.sh

. member/lib/own-api-server.sh

. member/lib/former-kubelet.sh

. member/lib/staged-certificate.sh

. member/lib/former-manifests.sh

repair_kubelet_of_master
recover_api_server
wait_for_own_api_server
