#!/bin/sh
# apply-kubelet-settings.sh: applies later changes of kubelet's settings.
# inputs: MARK FLAGS (one a line)
# constants: APPLIED_FOLDER KUBEADM_FLAGS_FILE KUBELET_CONFIG KUBELET_FLAGS_FILE PATCHES_FOLDER

. shell/lib/usual-path.sh

. member/lib/former-kubelet.sh

. member/lib/say-why.sh

since=
# kubelet reports its node as Ready when all its parts have started; some of them end it after many seconds
is_ready() {
    said=$(kubectl --kubeconfig "$KUBELET_CONFIG" --request-timeout=3s get node "$(hostname)" \
        -o 'jsonpath={range .status.conditions[?(@.type=="Ready")]}{.status} {.lastHeartbeatTime}{end}' 2>/dev/null) || return 1
    [ "${said% *}" = True ] && [ "$(printf '%s\n%s\n' "$since" "${said#* }" | LC_ALL=C sort | tail -n 1)" = "${said#* }" ]
}
# A node may not be Ready for other reasons, or the API may not answer: then the same process must go on for a while.
works() {
    process=$(kubelet_process) tries=0
    while [ $tries -lt 10 ]; do
        sleep 2
        tries=$((tries + 1))
        kubelet_goes_on || return 1
        if [ $tries -ge 3 ] && is_ready; then return 0; fi
    done
}
# Nothing is to be changed: kubelet was stopped. kubeadm would ask an API that may need this kubelet.
if [ "$(cat "$APPLIED_FOLDER"/kubelet 2>/dev/null)" = "$MARK" ] && [ ! -d "$kubelet_former" ]; then
    since=$(date -u +%Y-%m-%dT%H:%M:%SZ)
    systemctl enable -q --no-reload kubelet.service
    systemctl reset-failed kubelet.service 2>/dev/null || true
    systemctl start kubelet.service
    if works; then exit 0; fi
    echo "kubelet was started, and does not go on:" >&2
    say_why
    exit 1
fi
mkdir -p "$APPLIED_FOLDER"
# from here on it is neither the former nor the new state
rm -f "$APPLIED_FOLDER"/kubelet
repair_kubelet
# kubeadm asks the API, which on the only control-plane node needs this kubelet
if [ -n "$repaired" ]; then
    tries=0
    until kubectl --kubeconfig "$KUBELET_CONFIG" --request-timeout=3s get node "$(hostname)" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 60 ] || break
        sleep 2
    done
fi
state() { cat "$kubelet_settings" "$KUBEADM_FLAGS_FILE" | sha256sum; }
before=$(state)
unproven=
# also where a refresh found them changed: kubelet may have read the changed ones
if [ -d "$kubelet_former" ] || [ -n "${again:-}" ]; then unproven=yes; fi
keep_former_kubelet
note_flags() {
    cat > "$KUBELET_FLAGS_FILE".new
    sync -- "$KUBELET_FLAGS_FILE".new
    mv "$KUBELET_FLAGS_FILE".new "$KUBELET_FLAGS_FILE"
    sync -- "$APPLIED_FOLDER"
}
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
all=$( (printf '%s\n' "$FLAGS"; cat "$KUBELET_FLAGS_FILE" 2>/dev/null || true) | sort -u)
printf '%s\n' "$all" | note_flags
printf 'KUBELET_KUBEADM_ARGS="%s"\n' "${wanted# }" > "$KUBEADM_FLAGS_FILE".new
chmod --reference="$KUBEADM_FLAGS_FILE" "$KUBEADM_FLAGS_FILE".new
sync -- "$KUBEADM_FLAGS_FILE".new
mv "$KUBEADM_FLAGS_FILE".new "$KUBEADM_FLAGS_FILE"
# also where a former run has written them: then kubelet may have ended since, or may not have read them
if [ -n "$unproven" ] || [ "$before" != "$(state)" ] || ! systemctl -q is-active kubelet.service; then
    since=$(date -u +%Y-%m-%dT%H:%M:%SZ)
    forget_other_allocation
    systemctl restart kubelet.service
fi
if ! works; then
    echo "kubelet does not start with these settings:" >&2
    say_why
    restore_former_kubelet
    echo "the former settings are back" >&2
    exit 1
fi
sync -- "$kubelet_settings"
forget_former_kubelet
printf '%s\n' "$FLAGS" | note_flags
printf '%s\n' "$MARK" > "$APPLIED_FOLDER"/kubelet
