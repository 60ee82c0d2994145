#!/bin/sh
# node-version.sh: which version of Kubernetes this machine runs.
# running_kubelet prints the version of kubelet's process: a file that was replaced says nothing about it. Without a process, that of the file.
# image_version COMPONENT prints the version of a static pod as its manifest has it; nothing if there is none.
# constants: KUBERNETES_FOLDER

running_kubelet() {
    pid=$(systemctl show -p MainPID kubelet.service 2>/dev/null) || pid=
    pid=${pid#MainPID=} said=
    if [ -n "$pid" ] && [ "$pid" != 0 ]; then said=$("/proc/$pid/exe" --version 2>/dev/null) || said=; fi
    if [ -z "$said" ]; then said=$(kubelet --version 2>/dev/null) || said=; fi
    printf '%s\n' "${said#Kubernetes v}"
}
image_version() { sed -n 's/^ *image: .*:v\([0-9][^@ ]*\).*$/\1/p' "$KUBERNETES_FOLDER/manifests/$1.yaml" 2>/dev/null | head -n 1; }
