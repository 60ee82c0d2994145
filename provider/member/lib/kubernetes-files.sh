#!/bin/sh
# kubernetes-files.sh: functions around kubeadm's reset, which deletes more than ours.
# That reset deletes everything in /etc/kubernetes/pki and /etc/kubernetes/manifests. Each may run again after an interrupted run.
# keep_others_files, before the reset: copies files of pki that are not ours aside, and deletes copies of the cluster's keys.
# Moves static pods that kubeadm did not create to another folder for good: in place they would make the next join fail.
# put_others_files_back, after the reset.
# remove_kubernetes_files deletes kubeadm's files and ours, and folders that are then empty.
# constants: CLUSTER_KEYS CONFIG_FOLDER KUBERNETES_FOLDER MANIFESTS_ASIDE OTHERS_ASIDE OWN_KUBERNETES_FILES PKI_FOLDER

# shellcheck disable=SC2086 # a list of names
is_own_file() { printf '%s\n' $OWN_KUBERNETES_FILES | grep -qxF -- "$1"; }
files_below() { find "$1" ! -type d 2>/dev/null || true; }
put_others_files_back() {
    [ -d "$OTHERS_ASIDE" ] || return 0
    mkdir -p "$PKI_FOLDER"
    cp -a "$OTHERS_ASIDE"/. "$PKI_FOLDER"/
    sync -f "$PKI_FOLDER"
    rm -rf "$OTHERS_ASIDE"
}
keep_others_files() {
    put_others_files_back
    for key in $CLUSTER_KEYS; do
        [ -s "$key" ] || continue
        files_below "$KUBERNETES_FOLDER" | while read -r file; do
            if [ "$file" != "$key" ] && [ ! -L "$file" ] && cmp -s "$key" "$file"; then rm -f -- "$file"; fi
        done
    done
    for file in "$KUBERNETES_FOLDER"/manifests/* "$KUBERNETES_FOLDER"/manifests/.[!.]*; do
        [ -e "$file" ] || [ -L "$file" ] || continue
        ! is_own_file "manifests/${file##*/}" || continue
        mkdir -p "$MANIFESTS_ASIDE"
        mv --backup=numbered -- "$file" "$MANIFESTS_ASIDE"/
        echo "stays: $MANIFESTS_ASIDE/${file##*/}: a static pod that kubeadm did not make"
    done
    [ -d "$PKI_FOLDER" ] || return 0
    rm -rf "$OTHERS_ASIDE".new
    files_below "$PKI_FOLDER" | while read -r file; do
        file=${file#"$PKI_FOLDER"/}
        ! is_own_file "pki/$file" || continue
        mkdir -p "$OTHERS_ASIDE".new
        (cd "$PKI_FOLDER" && cp -a --parents -- "$file" "$OTHERS_ASIDE".new/)
    done
    if [ -d "$OTHERS_ASIDE".new ]; then
        chmod --reference="$PKI_FOLDER" "$OTHERS_ASIDE".new
        sync -f "$OTHERS_ASIDE".new
        mv -T "$OTHERS_ASIDE".new "$OTHERS_ASIDE"
    fi
}
remove_kubernetes_files() {
    for file in $OWN_KUBERNETES_FILES; do
        file="$KUBERNETES_FOLDER"/$file
        # with what a transfer of ours had begun to write
        rm -f "$file" "${file%/*}/.nfv-${file##*/}.new" "${file%/*}/.${file##*/}".????????????????.part
        case $file in *.conf) rm -f "$file.new" ;; esac
    done
    rm -rf "$CONFIG_FOLDER" "$CONFIG_FOLDER.new" "$KUBERNETES_FOLDER"/tmp/kubeadm-*
    rmdir "$PKI_FOLDER"/etcd "$PKI_FOLDER" "$KUBERNETES_FOLDER"/manifests "$KUBERNETES_FOLDER"/tmp "$KUBERNETES_FOLDER" 2>/dev/null || true
}
