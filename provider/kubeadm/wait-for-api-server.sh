#!/bin/sh
# wait-for-api-server.sh: waits until the API server of this control-plane node answers.

. shell/lib/usual-path.sh

. kubeadm/lib/own-api-server.sh

wait_for_own_api_server
