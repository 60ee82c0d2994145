#!/bin/sh
# other-process.sh: process_of COMPONENT prints the process of this machine's static pod, nothing if the manifest does not tell it from
# others; other_process COMPONENT PID waits, at most 90 s, until it is another one.
# kubelet notices a changed manifest with a delay, and a server that is asked to end keeps answering for a while. A readiness
# check alone would reach the former process, and the next control-plane node would follow too early.
# constants: KUBERNETES_FOLDER

# A flag in the manifest that processes of the same name in other pods do not have: a second scheduler, a hosted control plane
own_flag() {
    case $1 in
        etcd) flags=advertise-client-urls ;;
        kube-apiserver) flags=advertise-address ;;
        # a patch may leave a scheduler with its file of settings alone
        *) flags='kubeconfig config' ;;
    esac
    for flag in $flags; do
        sed -n "s/^ *- [\"']\{0,1\}\(--$flag=[^\"']*\).*/\1/p" "$KUBERNETES_FOLDER/manifests/$1.yaml" 2>/dev/null
    done | head -n 1
}
# not by -x: the kernel keeps 15 characters of a name, so kube-controllers of Calico would be kube-controller-manager
processes_named() { pgrep -f "^([^ ]*/)?$1( |\$)" || true; }
process_of() {
    own=$(own_flag "$1")
    if [ -z "$own" ]; then return 0; fi
    for candidate in $(processes_named "$1"); do
        if tr '\0' '\n' 2>/dev/null < "/proc/$candidate/cmdline" | grep -qxF -e "$own"; then
            echo "$candidate"
            return 0
        fi
    done
}
# by its number: a changed manifest has other flags than the former process
is_former_process() {
    if [ -z "$2" ]; then [ -z "$(process_of "$1")" ]; else processes_named "$1" | grep -qxF -e "$2"; fi
}
other_process() {
    waited=0
    while is_former_process "$1" "$2" && [ $waited -lt 90 ]; do waited=$((waited + 1)); sleep 1; done
}
