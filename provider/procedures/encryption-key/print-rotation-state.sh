#!/bin/sh
# print-rotation-state.sh: prints what a rotation of the encryption key needs to know of this machine, as lines name=value. No secret.
# inputs: ADDRESS PATIENCE

. shell/lib/usual-path.sh

. kubeadm/lib/api-ready.sh

. member/lib/etcd-over-http.sh

. procedures/encryption-key/lib/encryption-keys.sh

. procedures/lib/say-state.sh

say_state
echo "ours=$(yes_if settings_are_ours)"
echo "keys=$(value_of name | tr '\n' ' ')"
