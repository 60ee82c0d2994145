#!/bin/sh
# running-kubelet.sh: which kubelet runs. A file that was replaced says nothing about it. Without a process, it is that of the file.
# kubelet_program prints its path. running_kubelet prints its version; nothing if there is none.

kubelet_program() {
    pid=$(systemctl show -p MainPID kubelet.service 2>/dev/null) || pid=
    pid=${pid#MainPID=}
    if [ -n "$pid" ] && [ "$pid" != 0 ] && [ -x "/proc/$pid/exe" ]; then echo "/proc/$pid/exe"; else command -v kubelet; fi
}
running_kubelet() {
    program=$(kubelet_program) || program=
    said=$("${program:-false}" --version 2>/dev/null) || said=
    printf '%s\n' "${said#Kubernetes v}"
}
