#!/bin/sh
# restart-component.sh: restart_component NAME: a static pod starts again, so that it reads its certificates; the script ends with an error if it does not work
# with them. end_component NAME ends it, and does not wait. Wants $config only where static-pods.sh does.

. kubeadm/lib/static-pods.sh

# kubelet starts it again; a process that had ended by itself needs no help
end_component() {
    former=$(process_of "$1")
    [ -z "$former" ] || kill "$former" 2>/dev/null || true
}
restart_component() {
    echo "$1 restarts with its new certificates"
    end_component "$1"
    if runs_anew "$1" "$former"; then return 0; fi
    echo "$1 does not work with its new certificates; the files /var/log/pods/kube-system_$1-* say why" >&2
    exit 1
}
