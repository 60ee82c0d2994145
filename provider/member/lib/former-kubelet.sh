#!/bin/sh
# former-kubelet.sh: keeps the files that kubelet worked with on disk until changed ones are proven: a machine that loses power meanwhile
# starts with the changed ones, and these must not count as the former ones then.
# keep_former_kubelet: before a change. restore_former_kubelet: what did not work. forget_former_kubelet: what is proven.
# repair_kubelet: a run may have been killed, or the machine may have lost power, between a change and its proof. The API server of a
# control-plane node needs kubelet, and all steps need that API server. So each step that waits for it calls this first: it restores the
# former files if kubelet does not work with the changed ones, and sets $repaired.
# repair_kubelet_of_master: also if kubelet goes on with the changed ones but does not start the API server. Wants own-api-server.sh.
# constants: APPLIED_FOLDER KUBEADM_FLAGS_FILE

kubelet_settings=/var/lib/kubelet/config.yaml kubelet_former=$APPLIED_FOLDER/kubelet-former
keep_former_kubelet() {
    if [ -d "$kubelet_former" ]; then return 0; fi
    rm -rf "$kubelet_former".new
    mkdir "$kubelet_former".new
    cp -p "$kubelet_settings" "$kubelet_former".new/config
    cp -p "$KUBEADM_FLAGS_FILE" "$kubelet_former".new/flags
    sync -- "$kubelet_former".new/config "$kubelet_former".new/flags "$kubelet_former".new
    mv "$kubelet_former".new "$kubelet_former"
    sync -- "$APPLIED_FOLDER"
}
# What decides who gets which CPUs and memory, of a KubeletConfiguration and of kubelet's flags.
allocation_of() {
    awk '/^[^ -]/ { on = /^(cpuManagerPolicy|memoryManagerPolicy|reservedSystemCPUs|reservedMemory|kubeReserved|systemReserved|evictionHard)/ } on' "$1"
    grep -oE -e '--(cpu-manager-policy|memory-manager-policy|reserved-cpus|reserved-memory|kube-reserved|system-reserved|eviction-hard)[^ "]*' "$2" || true
}
# kubelet keeps what it gave to whom, and starts with no other policy or reserve than it had then: without these files it gives all anew.
forget_other_allocation() {
    given=$(allocation_of "$kubelet_former/config" "$kubelet_former/flags")
    [ "$given" != "$(allocation_of "$kubelet_settings" "$KUBEADM_FLAGS_FILE")" ] || return 0
    systemctl stop kubelet.service
    rm -f /var/lib/kubelet/cpu_manager_state /var/lib/kubelet/memory_manager_state
}
forget_former_kubelet() {
    # whole or gone: half of it would be restored
    rm -rf "$kubelet_former".old
    mv "$kubelet_former" "$kubelet_former".old
    rm -rf "$kubelet_former".old
}
restore_former_kubelet() {
    forget_other_allocation
    # whole files: without its flags kubelet starts, but with another address or runtime
    cp -p "$kubelet_former/config" "$kubelet_settings".new
    cp -p "$kubelet_former/flags" "$KUBEADM_FLAGS_FILE".new
    sync -- "$kubelet_settings".new "$KUBEADM_FLAGS_FILE".new
    mv "$kubelet_settings".new "$kubelet_settings"
    mv "$KUBEADM_FLAGS_FILE".new "$KUBEADM_FLAGS_FILE"
    sync -- "${kubelet_settings%/*}" "${KUBEADM_FLAGS_FILE%/*}"
    systemctl restart kubelet.service
    forget_former_kubelet
}
kubelet_process() { systemctl show -p MainPID kubelet.service; }
# The same process goes on: systemd starts one that refuses its settings again and again.
kubelet_goes_on() { systemctl -q is-active kubelet.service && [ "$(kubelet_process)" = "$process" ]; }
kubelet_works() {
    # systemd may be about to start it, after a boot too
    tries=0
    until systemctl -q is-active kubelet.service; do
        tries=$((tries + 1))
        [ $tries -lt 6 ] || return 1
        sleep 2
    done
    process=$(kubelet_process) tries=0
    while [ $tries -lt 10 ]; do
        sleep 2
        tries=$((tries + 1))
        kubelet_goes_on || return 1
    done
}
repair_kubelet() {
    repaired=
    if [ ! -d "$kubelet_former" ] || kubelet_works; then return 0; fi
    echo "kubelet does not work with a change that was interrupted: its former settings are restored"
    restore_former_kubelet
    repaired=yes
}
repair_kubelet_of_master() {
    repair_kubelet
    if [ ! -d "$kubelet_former" ] && [ -z "$repaired" ]; then return 0; fi
    if (wait_for_own_api_server) || [ -n "$repaired" ]; then return 0; fi
    echo "the API server does not start while a change of kubelet is unproven: kubelet's former settings are restored"
    restore_former_kubelet
    (wait_for_own_api_server) || true
}
