#!/bin/sh
# former-manifests.sh: keeps manifests that worked on disk until changed ones are proven.
# keep_former COMPONENTS: before a change. restore_former COMPONENTS: what did not work. forget_former COMPONENTS: what is proven.
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
restore_former() {
    for component in "$@"; do
        if [ ! -e "$formers/$component.yaml" ]; then continue; fi
        cat "$formers/$component.yaml" > "$KUBERNETES_FOLDER/manifests/$component.yaml"
    done
    forget_former "$@"
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
