#!/bin/sh
# apply-kubelet-settings.sh: applies later changes of kubelet's settings.
# inputs: MARK FLAGS (one a line)
# constants: APPLIED_FOLDER KUBEADM_FLAGS_FILE KUBELET_FLAGS_FILE PATCHES_FOLDER

. shell/lib/usual-path.sh

mkdir -p "$APPLIED_FOLDER"
# from here on it is neither the former nor the new state
rm -f "$APPLIED_FOLDER"/kubelet
state() { cat /var/lib/kubelet/config.yaml "$KUBEADM_FLAGS_FILE" | sha256sum; }
before=$(state)
saved=$(mktemp -d)
cp /var/lib/kubelet/config.yaml "$saved/config"
cp "$KUBEADM_FLAGS_FILE" "$saved/flags"
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
# noted before they are written: one that kubelet refuses must still count as ours when the program corrects it
(printf '%s\n' "$FLAGS"; cat "$KUBELET_FLAGS_FILE" 2>/dev/null || true) | sort -u > "$KUBELET_FLAGS_FILE".new
sync -- "$KUBELET_FLAGS_FILE".new
mv "$KUBELET_FLAGS_FILE".new "$KUBELET_FLAGS_FILE"
printf 'KUBELET_KUBEADM_ARGS="%s"\n' "${wanted# }" > "$KUBEADM_FLAGS_FILE".new
mv "$KUBEADM_FLAGS_FILE".new "$KUBEADM_FLAGS_FILE"
# also where a former run has written them: then kubelet may have ended since
if [ "$before" != "$(state)" ] || ! systemctl -q is-active kubelet.service; then systemctl restart kubelet.service; fi
for _ in 1 2 3; do
    sleep 2
    if ! systemctl -q is-active kubelet.service; then
        echo "kubelet does not start with these settings:" >&2
        journalctl -u kubelet.service -n 10 --no-pager -o cat >&2 || true
        cat "$saved/config" > /var/lib/kubelet/config.yaml
        cat "$saved/flags" > "$KUBEADM_FLAGS_FILE"
        rm -rf "$saved"
        systemctl restart kubelet.service
        echo "the former settings are back" >&2
        exit 1
    fi
done
rm -rf "$saved"
printf '%s\n' "$FLAGS" > "$KUBELET_FLAGS_FILE"
printf '%s\n' "$MARK" > "$APPLIED_FOLDER"/kubelet
