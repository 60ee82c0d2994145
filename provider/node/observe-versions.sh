#!/bin/sh
# observe-versions.sh: looks whether Kubernetes' programs are of the wanted version.
# inputs: VERSION

. shell/lib/usual-path.sh

. shell/lib/observed.sh

check() {
    name=$1
    shift
    said=$("$@" 2>/dev/null) || said="not to be run"
    case $said in
        "v$VERSION" | "Kubernetes v$VERSION" | "Client Version: v$VERSION"*) ;;
        *) differs "$name is ${said%%
*}, v$VERSION is wanted" ;;
    esac
}
check kubelet kubelet --version
check kubeadm kubeadm version -o short
check kubectl kubectl version --client
