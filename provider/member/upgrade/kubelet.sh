#!/bin/sh
# kubelet.sh: makes kubelet of this drained node run a version, and waits until its node object says so. If it does not work, the former one is back.
# inputs: VERSION NAME ROLE IGNORED (kubeadm's checks that do not stop it, or nothing)
# constants: APPLIED_FOLDER KUBELET_CONFIG KUBERNETES_FOLDER PATCHES_FOLDER PROGRAM_FOLDER UPGRADE_FOLDER
# shellcheck disable=SC2153 # inputs

. shell/lib/usual-path.sh

. member/lib/former-kubelet.sh

. member/lib/say-why.sh

. member/lib/node-version.sh

. member/upgrade/staged-version.sh

. member/upgrade/staged-packages.sh

serves() {
    said=$(kubectl --kubeconfig "$KUBELET_CONFIG" --request-timeout=5s get node "$NAME" \
        -o 'jsonpath={.status.nodeInfo.kubeletVersion} {.status.conditions[?(@.type=="Ready")].status}' 2>/dev/null) || return 1
    [ "$said" = "v$VERSION True" ]
}
waits() {
    until_then=$(($(date +%s) + 240))
    until serves; do
        [ "$(date +%s)" -lt "$until_then" ] || return 1
        sleep 1
    done
}
kubeadm=$(staged_program kubeadm)
kubelet=$(staged_program kubelet)
mkdir -p "$APPLIED_FOLDER" "$PATCHES_FOLDER"
# The move of the control plane has written kubelet's settings, and kept the former ones. Where these are gone, an attempt has failed and put them back:
# they may have flags that the new kubelet does not know.
phases=none
if [ "$ROLE" = worker ]; then phases=; elif [ ! -d "$kubelet_former" ]; then phases=--skip-phases=control-plane; fi
keep_former_kubelet
if [ "$phases" != none ]; then
    # shellcheck disable=SC2086 # empty: no word
    "$kubeadm" upgrade node $phases --patches "$PATCHES_FOLDER" --ignore-preflight-errors="$IGNORED"
fi
if has_staged_packages "$VERSION"; then install_staged_packages "$VERSION"; else link_version "$VERSION"; fi
if [ "$(running_kubelet)" != "$VERSION" ] || ! systemctl -q is-active kubelet.service; then
    # one that does not start serves no node either
    systemctl restart kubelet.service || true
fi
if waits; then
    forget_former_kubelet
    echo "kubelet runs $("$kubelet" --version)"
    exit 0
fi
echo "kubelet does not serve with v$VERSION: its node is ${said:-unknown}" >&2
say_why
from=$(cut -d ' ' -f 1 "$UPGRADE_FOLDER"/move)
former=$PROGRAM_FOLDER/kubernetes/$VERSION/former back=
if has_staged_packages "$VERSION"; then
    if [ "$(cat "$former/version")" = "$from" ]; then
        place_kubelet "$former/kubelet"
        back=yes
    fi
elif [ -n "$from" ] && [ -x "$PROGRAM_FOLDER/kubernetes/$from/kubelet" ]; then
    link_version "$from"
    back=yes
fi
if [ -n "$back" ]; then
    restore_former_kubelet
    echo "kubelet v$from is back" >&2
fi
exit 1
