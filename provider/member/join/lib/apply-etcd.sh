#!/bin/sh
# apply-etcd.sh: apply_etcd rewrites etcd's manifest if its settings changed, and waits until etcd runs with it.
# The manifest names this member only, like after kubeadm's own upgrades: etcd's data has the other members. If etcd does not
# start with the new settings, the former ones are restored. Wants static-pods.sh.
# inputs: MARK_ETCD
# constants: APPLIED_FOLDER QUORUM_AT_RISK
# shellcheck disable=SC2154 # the caller sets $config

. member/lib/etcd-quorum.sh

apply_etcd() {
    [ "$(cat "$APPLIED_FOLDER"/etcd 2>/dev/null)" != "$MARK_ETCD" ] || return 0
    refuse_without_quorum ""
    former=$(cat "$APPLIED_FOLDER"/etcd 2>/dev/null || true)
    rm -f "$APPLIED_FOLDER"/etcd
    keep_former etcd
    process=$(process_of etcd)
    kubeadm init phase etcd local --config "$config"
    if ! is_former etcd; then
        echo "etcd restarts with other settings"
        other_process etcd "$process"
        sleep 2
        if ! (wait_for_own_api_server); then
            restore_former etcd
            printf '%s\n' "$former" > "$APPLIED_FOLDER"/etcd
            echo "etcd does not work with its new settings (controlPlane.extraArgs.etcd, patches): the former ones are back" >&2
            exit 1
        fi
    fi
    forget_former etcd
    printf '%s\n' "$MARK_ETCD" > "$APPLIED_FOLDER"/etcd
}
