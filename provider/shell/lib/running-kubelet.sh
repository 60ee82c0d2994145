#!/bin/sh
# running-kubelet.sh: running_kubelet prints the version of kubelet's process: a file that was replaced says nothing about it. Without a process, that of the file.

running_kubelet() {
    pid=$(systemctl show -p MainPID kubelet.service 2>/dev/null) || pid=
    pid=${pid#MainPID=} said=
    if [ -n "$pid" ] && [ "$pid" != 0 ]; then said=$("/proc/$pid/exe" --version 2>/dev/null) || said=; fi
    if [ -z "$said" ]; then said=$(kubelet --version 2>/dev/null) || said=; fi
    printf '%s\n' "${said#Kubernetes v}"
}
