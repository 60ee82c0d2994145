#!/bin/sh
# observe-versions.sh: looks whether Kubernetes' programs are of the wanted version.
# Those that a member still has while packages of the wanted version are staged are no difference: its Node moves later.
# inputs: VERSION
# constants: PROGRAM_FOLDER

. shell/lib/usual-path.sh

. shell/lib/observed.sh

former=$(cat "$PROGRAM_FOLDER/kubernetes/$VERSION/former/version" 2>/dev/null) || former=$VERSION
check() {
    name=$1
    shift
    said=$("$@" 2>/dev/null) || said="not to be run"
    case $said in
        "v$VERSION" | "Kubernetes v$VERSION" | "Client Version: v$VERSION"*) ;;
        "v$former" | "Kubernetes v$former" | "Client Version: v$former"*) ;;
        *) differs "$name is ${said%%
*}, v$VERSION is wanted" ;;
    esac
}
check kubelet kubelet --version
check kubeadm kubeadm version -o short
check kubectl kubectl version --client
