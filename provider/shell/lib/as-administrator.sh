#!/bin/sh
# as-administrator.sh: from here on kubectl uses kubeadm's kubeconfig for administrators. On control-plane nodes only.
# constants: ADMIN_CONFIG

. shell/lib/usual-path.sh

export KUBECONFIG="$ADMIN_CONFIG"
