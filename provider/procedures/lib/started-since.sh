#!/bin/sh
# started-since.sh: started_since PROCESS FILE tests whether a process began after the file came to its place; a copy may be dated back. has_read COMPONENT FILES
# tests it of a static pod, which reads them at its start only, and kubelet_has_read FILE of kubelet. Wants other-process.sh for has_read.

started_since() {
    seconds=$(ps -o etimes= -p "$1" 2>/dev/null) || return 1
    came=$(stat -c %.Z "$2")
    [ $(($(date +%s) - seconds)) -gt $((${came%.*} + 1)) ]
}
has_read() {
    process=$(process_of "$1")
    if [ -z "$process" ]; then return 1; fi
    for file in $2; do started_since "$process" "$file" || return 1; done
}
kubelet_has_read() { started_since "$(systemctl show -p MainPID --value kubelet.service)" "$1"; }
