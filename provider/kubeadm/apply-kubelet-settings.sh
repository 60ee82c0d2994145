#!/bin/sh
# apply-kubelet-settings.sh: applies later changes of kubelet's settings.
# inputs: MARK FLAGS (one a line)
# constants: APPLIED_FOLDER KUBEADM_FLAGS_FILE KUBELET_FLAGS_FILE PATCHES_FOLDER

. shell/lib/usual-path.sh

state() { cat /var/lib/kubelet/config.yaml "$KUBEADM_FLAGS_FILE" | sha256sum; }
before=$(state)
kubeadm upgrade node phase kubelet-config --patches "$PATCHES_FOLDER"
current=$(sed -n 's/^KUBELET_KUBEADM_ARGS="\(.*\)"$/\1/p' "$KUBEADM_FLAGS_FILE")
ours=$( (printf '%s\n' "$FLAGS"; cat "$KUBELET_FLAGS_FILE" 2>/dev/null || true) | sed 's/=.*//')
wanted=
set -f
for flag in $current; do
    printf '%s\n' "$ours" | grep -qxF -e "${flag%%=*}" || wanted="$wanted $flag"
done
for flag in $FLAGS; do wanted="$wanted $flag"; done
set +f
printf 'KUBELET_KUBEADM_ARGS="%s"\n' "${wanted# }" > "$KUBEADM_FLAGS_FILE".new
mv "$KUBEADM_FLAGS_FILE".new "$KUBEADM_FLAGS_FILE"
if [ "$before" != "$(state)" ]; then
    systemctl restart kubelet.service
    sleep 2
    if ! systemctl -q is-active kubelet.service; then
        echo "kubelet does not start with these settings:" >&2
        journalctl -u kubelet.service -n 10 --no-pager -o cat >&2 || true
        exit 1
    fi
fi
mkdir -p "$APPLIED_FOLDER"
printf '%s\n' "$FLAGS" > "$KUBELET_FLAGS_FILE"
printf '%s\n' "$MARK" > "$APPLIED_FOLDER"/kubelet
