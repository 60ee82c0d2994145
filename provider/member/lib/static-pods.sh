#!/bin/sh
# static-pods.sh: apply_static_pods rewrites the manifests of API server, scheduler and controller manager, and waits until what changed runs with
# it. If it does not, the former manifests are back, and the script ends with an error. Wants own-api-server.sh and $config.
# recover_controllers: an interrupted run may have left a scheduler or controller manager that does not work, while the API server is ready.
# Their former manifests are restored then: without the controller manager no other pod is made again.
# constants: KUBERNETES_FOLDER
# shellcheck disable=SC2154 # the caller sets $config

. member/lib/other-process.sh

. member/lib/former-manifests.sh

# "FOLDER RESTARTS" of its newest pod: kubelet names the logs of a container by the number of its restarts
logs_of() {
    folder=$(find /var/log/pods/kube-system_"$1"-*/"$1" -maxdepth 0 -printf '%T@ %p\n' 2>/dev/null | sort -n | tail -n 1 | cut -d ' ' -f 2-)
    if [ -z "$folder" ]; then return 0; fi
    restarts=$(find "$folder" -name '*.log' -printf '%f\n' | sed -n 's/^\([0-9]*\)\.log$/\1/p' | sort -n | tail -n 1)
    echo "$folder ${restarts:-0}"
}
# one that refuses its settings ends at once, and kubelet starts it again and again
keeps_ending() {
    now=$(logs_of "$1")
    if [ -z "$now" ]; then return 1; fi
    if [ "${now% *}" != "${seen% *}" ]; then seen="${now% *} 0"; fi
    [ $((${now##* } - ${seen##* })) -ge 3 ]
}
# its process stays the same for a while
stays_up() {
    found=$(process_of "$1")
    if [ -z "$found" ] || [ "$found" != "$process" ]; then process=$found since=$(date +%s); fi
    [ -n "$found" ] && [ $(($(date +%s) - since)) -ge 10 ]
}
works() { if [ "$1" = kube-apiserver ]; then api_ready; else stays_up "$1"; fi; }
# another process than before runs, and works
runs_anew() {
    seen=$(logs_of "$1")
    other_process "$1" "$2"
    process='' since=$(date +%s) deadline=$(($(date +%s) + 240))
    until works "$1"; do
        if keeps_ending "$1" || [ "$(date +%s)" -ge "$deadline" ]; then return 1; fi
        sleep 0.5
    done
}
goes_on() {
    process='' since=$(date +%s) deadline=$(($(date +%s) + 60))
    until stays_up "$1"; do
        [ "$(date +%s)" -lt "$deadline" ] || return 1
        sleep 0.5
    done
}
recover_controllers() {
    for component in kube-scheduler kube-controller-manager; do
        if [ ! -e "$formers/$component.yaml" ] || is_former "$component" || goes_on "$component"; then continue; fi
        echo "$component does not work with a change that was interrupted: its former manifest is restored"
        restore_former "$component"
        goes_on "$component" || true
    done
}
apply_static_pods() {
    processes=$(mktemp -d -p /run)
    components="kube-apiserver kube-scheduler kube-controller-manager"
    for component in $components; do process_of "$component" > "$processes/$component"; done
    # shellcheck disable=SC2086 # a list of names
    keep_former $components
    kubeadm init phase control-plane all --config "$config"
    # give kubelet the time to see changed manifests
    sleep 3
    broken=
    for component in $components; do
        if is_former "$component"; then continue; fi
        runs_anew "$component" "$(cat "$processes/$component")" || broken="$broken $component"
        # the load balancers send requests here again before the next master's API server ends
        if [ "$component" = kube-apiserver ]; then sleep 5; fi
    done
    rm -rf "$processes"
    if [ -n "$broken" ]; then
        say_why
        # shellcheck disable=SC2086
        restore_former $components
        # this machine serves again before the run ends, and a next run begins with what works
        (wait_for_own_api_server) || true
        echo "these do not work with their new settings (controlPlane.extraArgs, patches):$broken; the former ones are back" >&2
        exit 1
    fi
    # shellcheck disable=SC2086
    forget_former $components
}
