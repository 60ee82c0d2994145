#!/bin/sh
# print-rotation-state.sh: prints what a rotation of the encryption key needs to know of this machine, as lines name=value. No secret.
# inputs: ADDRESS
# constants: ENCRYPTION_FILE MEMBER_FILE

. shell/lib/usual-path.sh

. kubeadm/lib/api-ready.sh

. kubeadm/lib/etcd-over-http.sh

. kubeadm/lib/encryption-keys.sh

yes_if() { if "$@"; then echo yes; fi; }
# a busy machine may answer late once
yes_if_soon() {
    for _ in 1 2 3 4 5 6; do
        if "$@"; then echo yes; return 0; fi
        sleep 4
    done
}
echo "member=$(cat "$MEMBER_FILE" 2>/dev/null || true)"
echo "ready=$(yes_if_soon api_ready)"
echo "ours=$(yes_if settings_are_ours)"
echo "keys=$(value_of name | tr '\n' ' ')"
echo "etcd=$(yes_if_soon etcd_is_healthy)"
echo "members=$(etcd_members | members_in | cut -d ' ' -f 2 | sort | tr '\n' ' ')"
