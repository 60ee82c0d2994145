#!/bin/sh
# print-service-account-state.sh: prints what a rotation of the service-account key needs to know of this machine, as lines name=value. No secret.
# inputs: ADDRESS PATIENCE

. shell/lib/usual-path.sh

. kubeadm/lib/api-ready.sh

. member/lib/etcd-over-http.sh

. procedures/service-account-key/lib/service-account-keys.sh

. procedures/lib/say-state.sh

say_state
echo "ours=$(yes_if keys_are_ours)"
echo "keys=$(key_names "$SA_PUB" | tr '\n' ' ')"
echo "signs=$(signing_key)"
