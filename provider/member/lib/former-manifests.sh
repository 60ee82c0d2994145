#!/bin/sh
# former-manifests.sh: keeps manifests that worked on disk until changed ones are proven.
# keep_former COMPONENTS: before a change. restore_former COMPONENTS: what did not work. forget_former COMPONENTS: what is proven.
# etcd's is not restored where its minor version is another one: the newer etcd has written the data, which the older one would refuse for ever.
# recover_api_server: a run may have been killed, or the machine may have lost power, between a change and its proof. Nothing
# corrects such a change while the API server of this machine cannot start, so the former files are restored then.
# Wants own-api-server.sh and staged-certificate.sh.
# constants: APPLIED_FOLDER KUBERNETES_FOLDER
# shellcheck disable=SC2154 # staged-certificate.sh sets $staged

formers=$APPLIED_FOLDER/former-manifests
keep_former() {
    mkdir -p "$formers"
    for component in "$@"; do
        # one of an interrupted run is the last one that worked; one that somebody moved aside is written again
        if [ -e "$formers/$component.yaml" ] || [ ! -e "$KUBERNETES_FOLDER/manifests/$component.yaml" ]; then continue; fi
        cp "$KUBERNETES_FOLDER/manifests/$component.yaml" "$formers/$component.new"
        sync -- "$formers/$component.new"
        mv "$formers/$component.new" "$formers/$component.yaml"
    done
    sync -- "$formers" "$APPLIED_FOLDER"
}
is_former() { cmp -s "$formers/$1.yaml" "$KUBERNETES_FOLDER/manifests/$1.yaml"; }
etcd_minor() { sed -n 's/^ *image: .*:v\{0,1\}\([0-9]*\.[0-9]*\)\..*/\1/p' "$1" | head -n 1; }
restore_former() {
    for component in "$@"; do
        kept=$formers/$component.yaml in_use=$KUBERNETES_FOLDER/manifests/$component.yaml
        if [ ! -e "$kept" ]; then continue; fi
        # without its manifest, the newer etcd has never started
        if [ "$component" = etcd ] && [ -e "$in_use" ] && [ "$(etcd_minor "$kept")" != "$(etcd_minor "$in_use")" ]; then
            echo "etcd's manifest of $(etcd_minor "$kept") stays in $kept: $(etcd_minor "$in_use") has written the data, which the other would refuse for ever. etcd may need more time: run pulumi up again" >&2
            continue
        fi
        cat "$kept" > "$in_use"
        forget_former "$component"
    done
}
forget_former() {
    for component in "$@"; do
        if [ -e "$KUBERNETES_FOLDER/manifests/$component.yaml" ]; then sync -- "$KUBERNETES_FOLDER/manifests/$component.yaml"; fi
        rm -f "$formers/$component.yaml"
    done
    rmdir "$formers" 2>/dev/null || true
}
recover_api_server() {
    if [ ! -d "$formers" ] && [ ! -d "$staged" ]; then return 0; fi
    if api_ready; then return 0; fi
    echo "a change of the control plane was interrupted: its former manifests are restored"
    restore_former etcd kube-apiserver kube-controller-manager kube-scheduler
    place_staged_certificate
    # it would wait up to five minutes before it starts again what ended often
    systemctl restart kubelet.service
    (wait_for_own_api_server) || true
}
