#!/bin/sh
# stage-packages.sh: functions by which a member gets the packages of another version without an effect. They wait in the folder of that version, beside its
# kubeadm and kubelet, which its Node needs before it installs them.
# runs_other_version succeeds on a member whose kubelet runs another version; $at is that one.
# begin_staging makes the folder $draft/packages, and keeps the kubelet that runs: the way back of one that does not serve.
# refuse_upgrade NAMES: these are packages of others.
# end_staging UNPACK puts it in its place. UNPACK PACKAGE FOLDER unpacks a package.
# inputs: VERSION
# constants: FOREIGN_SOFTWARE MEMBER_FILE PROGRAM_FOLDER VERSION_MISMATCH

. shell/lib/usual-path.sh

. shell/lib/running-kubelet.sh

staged=$PROGRAM_FOLDER/kubernetes/$VERSION
draft=$staged.new
runs_other_version() {
    [ -s "$MEMBER_FILE" ] || return 1
    at=$(running_kubelet)
    [ -n "$at" ] && [ "$at" != "$VERSION" ]
}
begin_staging() {
    echo "kubelet $at runs: $VERSION is staged beside it"
    # what a full disk has left of it would keep the disk full
    trap 'rm -rf "$draft"' EXIT
    rm -rf "$draft"
    mkdir -p "$draft/packages" "$draft/former"
    cp "$(kubelet_program)" "$draft/former/kubelet"
    printf '%s\n' "$at" > "$draft/former/version"
}
refuse_upgrade() {
    [ -n "$1" ] || return 0
    printf 'with Kubernetes %s the package manager would also upgrade these packages of others: %s; nothing was installed or removed\n' "$VERSION" "$1" >&2
    exit "$FOREIGN_SOFTWARE"
}
end_staging() {
    for name in kubeadm kubelet; do
        "$1" "$(find "$draft/packages" -name "${name}[_-]*")" "$draft/unpacked"
        mv "$draft/unpacked/usr/bin/$name" "$draft/$name"
    done
    rm -rf "$draft/unpacked"
    said="$("$draft/kubelet" --version) $("$draft/kubeadm" version -o short)"
    if [ "$said" != "Kubernetes v$VERSION v$VERSION" ]; then
        echo "wanted v$VERSION, but kubelet and kubeadm of the packages say: $said" >&2
        exit "$VERSION_MISMATCH"
    fi
    sync -f "$draft"
    rm -rf "$staged"
    mv -T "$draft" "$staged"
    sync -f "$staged"
}
