#!/bin/sh
# restart-component.sh: restart_component NAME: a static pod starts again, so that it reads its certificates; the script ends with an error if it does not work
# with them. end_component NAME ends it, and does not wait. restart_servers restarts what has a certificate of before, etcd excepted, one after another. Wants
# due-certificates.sh and own-api-server.sh, and $config only where static-pods.sh does.

. member/lib/static-pods.sh

# kubelet starts it again; a process that had ended by itself needs no help
end_component() {
    former=$(process_of "$1")
    [ -z "$former" ] || kill "$former" 2>/dev/null || true
}
restart_component() {
    echo "$1 restarts with its new certificates"
    end_component "$1"
    if runs_anew "$1" "$former"; then return 0; fi
    say_why
    echo "$1 does not work with its new certificates; the files /var/log/pods/kube-system_$1-* say why" >&2
    exit 1
}
restart_servers() {
    wait_for_own_api_server
    for component in kube-apiserver kube-controller-manager kube-scheduler; do
        if ! runs_with_former_certificate "$component"; then continue; fi
        restart_component "$component"
        # the load balancers send requests here again before the next master's API server ends
        if [ "$component" = kube-apiserver ]; then sleep 5; fi
    done
    wait_for_own_api_server
}
