#!/bin/sh
# init-cluster.sh: initialises the cluster on its first control-plane node.
# inputs: CLUSTER
# constants: ADMIN_CONFIG APPLIED_FOLDER CLUSTER_CONFIG_FILE INIT_STARTED_FILE LEFT_OF_INIT

. shell/lib/usual-path.sh

ignore=
# what kubeadm writes first. Without it no init got behind its preflight: what that found is not ours
if [ -e "$INIT_STARTED_FILE" ] && { [ -e "$ADMIN_CONFIG" ] || [ -e /var/lib/kubelet/config.yaml ]; }; then
    ignore=--ignore-preflight-errors="$LEFT_OF_INIT"
fi
printf '%s\n' "$CLUSTER" > "$INIT_STARTED_FILE"
# of a cluster before, after a reset by hand
rm -rf "$APPLIED_FOLDER"
# shellcheck disable=SC2086 # empty: no word
kubeadm init --config "$CLUSTER_CONFIG_FILE" --skip-token-print --skip-certificate-key-print $ignore

. kubeadm/lib/note-member.sh
