#!/bin/sh
# apply-kubelet-settings.sh: applies later changes of kubelet's settings.
# inputs: MARK FLAGS (one a line)
# constants: APPLIED_FOLDER KUBEADM_FLAGS_FILE KUBELET_CONFIG KUBELET_FLAGS_FILE PATCHES_FOLDER

. shell/lib/usual-path.sh

mkdir -p "$APPLIED_FOLDER"
# from here on it is neither the former nor the new state
rm -f "$APPLIED_FOLDER"/kubelet
settings=/var/lib/kubelet/config.yaml
state() { cat "$settings" "$KUBEADM_FLAGS_FILE" | sha256sum; }
before=$(state)
# the files that kubelet worked with, on disk until the new ones are proven: a machine that loses power meanwhile starts with the new
# ones, and these must not count as the former ones then
former=$APPLIED_FOLDER/kubelet-former unproven=yes
if [ ! -d "$former" ]; then
    unproven=
    rm -rf "$former".new
    mkdir "$former".new
    cp "$settings" "$former".new/config
    cp "$KUBEADM_FLAGS_FILE" "$former".new/flags
    sync -- "$former".new/config "$former".new/flags "$former".new
    mv "$former".new "$former"
    sync -- "$APPLIED_FOLDER"
fi
forget_former() {
    # whole or gone: half of it would be restored
    rm -rf "$former".old
    mv "$former" "$former".old
    rm -rf "$former".old
}
restore_former() {
    cat "$former/config" > "$settings"
    cat "$former/flags" > "$KUBEADM_FLAGS_FILE"
    sync -- "$settings" "$KUBEADM_FLAGS_FILE"
    systemctl restart kubelet.service
}
# kubeadm asks the API, which on the only control-plane node needs this kubelet
if [ -n "$unproven" ] && ! systemctl -q is-active kubelet.service; then
    restore_former
    tries=0
    until kubectl --kubeconfig "$KUBELET_CONFIG" --request-timeout=3s get node "$(hostname)" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 60 ] || break
        sleep 2
    done
fi
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
sync -- "$KUBEADM_FLAGS_FILE".new
mv "$KUBEADM_FLAGS_FILE".new "$KUBEADM_FLAGS_FILE"
since=
# also where a former run has written them: then kubelet may have ended since, or may not have read them
if [ -n "$unproven" ] || [ "$before" != "$(state)" ] || ! systemctl -q is-active kubelet.service; then
    since=$(date -u +%Y-%m-%dT%H:%M:%SZ)
    systemctl restart kubelet.service
fi
# kubelet reports its node as Ready when all its parts have started; some of them end it after many seconds
is_ready() {
    said=$(kubectl --kubeconfig "$KUBELET_CONFIG" --request-timeout=3s get node "$(hostname)" \
        -o 'jsonpath={range .status.conditions[?(@.type=="Ready")]}{.status} {.lastHeartbeatTime}{end}' 2>/dev/null) || return 1
    [ "${said% *}" = True ] && [ "$(printf '%s\n%s\n' "$since" "${said#* }" | LC_ALL=C sort | tail -n 1)" = "${said#* }" ]
}
main_process() { systemctl show -p MainPID kubelet.service; }
# A node may not be Ready for other reasons, or the API may not answer: then the same process must go on for a while.
works() {
    process=$(main_process) tries=0
    while [ $tries -lt 10 ]; do
        sleep 2
        tries=$((tries + 1))
        if ! systemctl -q is-active kubelet.service || [ "$(main_process)" != "$process" ]; then return 1; fi
        if [ $tries -ge 3 ] && is_ready; then return 0; fi
    done
}
if ! works; then
    echo "kubelet does not start with these settings:" >&2
    journalctl -u kubelet.service -n 10 --no-pager -o cat >&2 || true
    restore_former
    forget_former
    echo "the former settings are back" >&2
    exit 1
fi
sync -- "$settings"
forget_former
printf '%s\n' "$FLAGS" > "$KUBELET_FLAGS_FILE"
printf '%s\n' "$MARK" > "$APPLIED_FOLDER"/kubelet
