#!/bin/sh
# observe-api-server.sh: looks whether the API server of this machine is ready.
# inputs: ADDRESS

. shell/lib/usual-path.sh

. shell/lib/observed.sh

. kubeadm/lib/api-ready.sh

api_ready || differs "the API server of this machine is not ready"
