#!/bin/sh
# control-plane.sh: moves etcd, API server, controller manager and scheduler of this machine to a version, by kubeadm of that version.
# The first control-plane node applies the version to the cluster's configuration, the others follow it; kubeadm decides when its add-ons follow.
# What was interrupted is repaired first: kubeadm moves manifests away before it writes new ones, and needs an API that may need this machine.
# inputs: VERSION ADDRESS NAME IGNORED (kubeadm's checks that do not stop it, or nothing)
# inputs: START_SECONDS (that a component may take until it serves) TIMEOUTS (kubeadm's, as JSON)
# inputs: MARK (of the settings with this version) FORMER_MARKS (of the same settings with another version, one a line)
# constants: APPLIED_FOLDER KUBERNETES_FOLDER PATCHES_FOLDER QUORUM_AT_RISK UPGRADE_FOLDER
# shellcheck disable=SC2034,SC2086,SC2153 # own-api-server.sh reads $start_seconds; lists of names; inputs

. shell/lib/as-administrator.sh

. member/lib/own-api-server.sh

. member/lib/staged-certificate.sh

. member/lib/former-manifests.sh

. member/lib/former-kubelet.sh

. member/lib/keep-bridge.sh

. member/upgrade/lib/renewal-at-upgrade.sh

. kubeadm/lib/etcdctl.sh

. member/lib/cluster-version.sh

. member/lib/node-version.sh

. member/upgrade/staged-version.sh

start_seconds=$START_SECONDS
servers="kube-apiserver kube-controller-manager kube-scheduler"
k() { kubectl --request-timeout=10s "$@"; }
own_etcd_answers() {
    curl -sf --noproxy '*' -m 5 -o /dev/null http://127.0.0.1:2381/health 2>/dev/null || in_pod "etcd-$NAME" endpoint health >/dev/null 2>&1
}
has_manifests() {
    for component in $servers; do
        [ "$(image_version "$component")" = "$VERSION" ] || return 1
    done
}
# as kubelet reports it to the cluster
runs() {
    for component in $servers; do
        said=$(k -n kube-system get pod "$component-$NAME" -o 'jsonpath={.spec.containers[0].image} {.status.conditions[?(@.type=="Ready")].status}' 2>/dev/null) || return 1
        case $said in *":v$VERSION True") ;; *) return 1 ;; esac
    done
    api_ready && own_etcd_answers
}
wait_until_runs() {
    until_then=$(($(date +%s) + 300))
    until runs; do
        if [ "$(date +%s)" -ge "$until_then" ]; then
            echo "the control plane of this machine does not run v$VERSION: $component is ${said:-unknown}" >&2
            say_why
            return 1
        fi
        sleep 1
    done
}
# those that kubeadm has moved away are missing; etcd that answers is left alone
put_back() {
    echo "the former manifests of the control plane are restored"
    restore_former $servers
    if ! own_etcd_answers; then restore_former etcd; else forget_former etcd; fi
    systemctl restart kubelet.service
    (wait_for_own_api_server) || true
}
# kubeadm makes CoreDNS as it makes it for a new cluster: what keeps its replicas apart would be gone
coredns_note=$UPGRADE_FOLDER/coredns-affinity
coredns_affinity() { k -n kube-system get deployment coredns --ignore-not-found -o 'jsonpath={.spec.template.spec.affinity}'; }
note_coredns() {
    [ ! -e "$coredns_note" ] || return 0
    tries=0
    until affinity=$(coredns_affinity); do
        tries=$((tries + 1))
        [ $tries -lt 15 ] || { echo "the cluster does not say how CoreDNS is spread; nothing was changed" >&2; return 1; }
        sleep 2
    done
    printf '%s\n' "$affinity" > "$coredns_note".new
    mv "$coredns_note".new "$coredns_note"
}
keep_coredns_apart() {
    noted=$(cat "$coredns_note" 2>/dev/null) || return 0
    [ -n "$noted" ] || return 0
    tries=0
    until affinity=$(coredns_affinity) && { [ -z "$affinity" ] || [ "$affinity" = "$noted" ] ||
        k -n kube-system patch deployment coredns --type=merge -p "{\"spec\":{\"template\":{\"spec\":{\"affinity\":$noted}}}}"; }; do
        tries=$((tries + 1))
        [ $tries -lt 15 ] || { echo "CoreDNS's replicas could not be kept apart" >&2; return 1; }
        sleep 2
    done
}
if [ -d "$formers" ]; then
    for component in etcd $servers; do
        if [ -e "$formers/$component.yaml" ] && [ ! -e "$KUBERNETES_FOLDER/manifests/$component.yaml" ]; then
            cat "$formers/$component.yaml" > "$KUBERNETES_FOLDER/manifests/$component.yaml"
        fi
    done
    (wait_for_own_api_server) 2>/dev/null || put_back
fi
wait_for_own_api_server
if [ "$(cat "$UPGRADE_FOLDER"/control-plane 2>/dev/null)" = "$VERSION" ] && has_manifests; then
    wait_until_runs
    keep_coredns_apart
    forget_former etcd $servers
    echo "the control plane of this machine is at v$VERSION already"
    exit 0
fi
kubeadm=$(staged_program kubeadm)
tries=0
until e endpoint health --cluster >/dev/null 2>&1; do
    tries=$((tries + 1))
    if [ $tries -ge 10 ]; then
        echo "etcd is not healthy on all control-plane nodes: a restart of it here could cost the quorum; nothing was changed" >&2
        exit "$QUORUM_AT_RISK"
    fi
    sleep 3
done
tries=0
until at=$(cluster_version 10s 2>/dev/null) && [ -n "$at" ]; do
    tries=$((tries + 1))
    if [ $tries -ge 15 ]; then echo "the cluster does not say which version it has (configmap kubeadm-config); nothing was changed" >&2; exit 1; fi
    sleep 2
done
note_coredns
mkdir -p "$APPLIED_FOLDER" "$PATCHES_FOLDER"
keep_former etcd $servers
keep_former_kubelet
code=0
settings=$UPGRADE_FOLDER/kubeadm.yaml
# ACT: deadlines are in a file only, and with a file kubeadm takes few flags
write_settings() {
    printf '%s\n' 'apiVersion: kubeadm.k8s.io/v1beta4' 'kind: UpgradeConfiguration' "$1:" "  certificateRenewal: $(renewal_at_upgrade)" \
        '  patches:' "    directory: $PATCHES_FOLDER" "timeouts: $TIMEOUTS" > "$settings"
}
if [ "$at" != "$VERSION" ] || [ -e "$UPGRADE_FOLDER"/applies ]; then
    : > "$UPGRADE_FOLDER"/applies
    echo "kubeadm upgrade apply v$VERSION: the cluster is at v$at"
    write_settings apply
    "$kubeadm" upgrade apply "v$VERSION" --yes --config "$settings" --ignore-preflight-errors="$IGNORED" || code=$?
else
    echo "kubeadm upgrade node: the cluster is at v$VERSION"
    write_settings node
    "$kubeadm" upgrade node --config "$settings" --ignore-preflight-errors="$IGNORED" || code=$?
fi
if [ $code != 0 ]; then
    say_why
    # kubeadm puts back what it changed. It may have been too late for that.
    unproven="etcd $servers"
    # etcd's that is there then must stay
    (wait_for_own_api_server) || { put_back; unproven=$servers; }
    if ! has_manifests; then forget_former $unproven; fi
    if cmp -s "$kubelet_former/config" "$kubelet_settings"; then forget_former_kubelet; else restore_former_kubelet; fi
    echo "kubeadm ended with $code" >&2
    exit 1
fi
wait_until_runs
keep_bridge
keep_coredns_apart
# the load balancers send requests here again before the next node's API server ends
sleep 5
# the settings are those that it had: nothing else is to be applied
mark=$(cat "$APPLIED_FOLDER"/cluster 2>/dev/null) || mark=
if [ -n "$mark" ] && printf '%s\n' "$FORMER_MARKS" | grep -qxF -e "$mark"; then printf '%s\n' "$MARK" > "$APPLIED_FOLDER"/cluster; fi
forget_former etcd $servers
printf '%s\n' "$VERSION" > "$UPGRADE_FOLDER"/control-plane
