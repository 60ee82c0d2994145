#!/bin/sh
# verify-image-versions.sh: fails if the programs of a server image are not of the wanted version.
# inputs: VERSION
# constants: VERSION_MISMATCH

check() {
    command -v "$1" >/dev/null || { echo "the image has no $1" >&2; exit "$VERSION_MISMATCH"; }
    shift
    case $("$@") in
        "v$VERSION" | "Kubernetes v$VERSION" | "Client Version: v$VERSION"*) ;;
        *) echo "wanted $VERSION, but $* says: $("$@")" >&2; exit "$VERSION_MISMATCH" ;;
    esac
}
check kubelet kubelet --version
check kubeadm kubeadm version -o short
check kubectl kubectl version --client
