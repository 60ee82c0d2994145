#!/bin/sh
# apply-kube-proxy.sh: apply_kube_proxy updates kube-proxy's settings, and replaces its pods if they changed. Wants $config.
# Its pods read the settings only at the start. Its rules stay in place meanwhile. This machine's pod is replaced first: if it does
# not work, the former settings are restored, and the pods of the other nodes are not touched. The pods are deleted: kubeadm's next
# run would remove a restart annotation from the template and so restart them once more.
# constants: APPLIED_FOLDER
# shellcheck disable=SC2154 # the caller sets $config

proxy_settings() { kubectl -n kube-system get configmap kube-proxy --ignore-not-found -o 'jsonpath={.data}'; }
# "NODE|POD|READY|RESTARTS|DELETED", a line each; kubeadm's template has no readiness probe, so one is Ready while it runs
proxy_pods() {
    # shellcheck disable=SC2016 # no variables
    kubectl -n kube-system get pods -l k8s-app=kube-proxy -o 'jsonpath={range .items[*]}{.spec.nodeName}|{.metadata.name}|{.status.conditions[?(@.type=="Ready")].status}|{.status.containerStatuses[?(@.name=="kube-proxy")].restartCount}|{.metadata.deletionTimestamp}{"\n"}{end}'
}
# "NODE|READY", a line each
proxy_nodes() {
    kubectl get nodes -l kubernetes.io/os=linux -o 'jsonpath={range .items[*]}{.metadata.name}|{.status.conditions[?(@.type=="Ready")].status}{"\n"}{end}'
}
# "POD READY RESTARTS" of this machine's pod
own_proxy() {
    pods=$(proxy_pods) || return 1
    printf '%s\n' "$pods" | awk -F '|' -v node="$(hostname)" '$1 == node && $5 == "" { print $2, $3, $4; exit }'
}
other_proxies() {
    pods=$(proxy_pods) || return 1
    printf '%s\n' "$pods" | awk -F '|' -v node="$(hostname)" '$1 != node { print $2 }'
}
delete_proxies() {
    # shellcheck disable=SC2086 # a list of names
    if [ -n "$1" ]; then kubectl -n kube-system delete pod --ignore-not-found --wait=false $1; fi
}
# a new pod of this machine stays Ready for a while, and does not restart
own_proxy_works() {
    seen='' since=$(date +%s) deadline=$(($(date +%s) + 120))
    while :; do
        sleep 1
        found=$(own_proxy) || found=
        time=$(date +%s)
        case $found in
            # kubelet starts one that refuses its settings again and again
            *' '[3-9] | *' '[1-9][0-9]*) return 1 ;;
            *' True '*) if [ "$found" = "$seen" ] && [ $((time - since)) -ge 10 ]; then return 0; fi ;;
        esac
        if [ "$found" != "$seen" ]; then seen=$found since=$time; fi
        [ "$time" -lt "$deadline" ] || return 1
    done
}
prove_own_proxy() {
    pod=$(own_proxy)
    delete_proxies "${pod%% *}"
    if own_proxy_works; then return 0; fi
    echo "kube-proxy does not work with its new settings (kubeProxy, or the endpoint):" >&2
    if [ -z "$found" ]; then
        echo "this node, $(hostname), has no new pod of it" >&2
    else
        kubectl -n kube-system logs "${found%% *}" -c kube-proxy --tail=10 >&2 || true
    fi
    if [ -s "$proxy_former" ]; then
        kubectl -n kube-system patch configmap kube-proxy --type=merge --patch-file "$proxy_former"
        delete_proxies "${found%% *}"
        echo "the former ones are back; the other nodes' pods were not touched" >&2
    fi
    rm -f "$proxy_former"
    exit 1
}
# A node that is not Ready cannot replace its pod. It must not stop a run that has nothing to do with it: its pod is marked as
# deleted, and it starts a new one when it is back.
replace_other_proxies() {
    delete_proxies "$(cat "$proxy_left")"
    deadline=$(($(date +%s) + 120))
    while :; do
        sleep 1
        open="waits any node: the API does not answer"
        if pods=$(proxy_pods) && nodes=$(proxy_nodes); then
            open=$(printf '%s\n' "$pods" "$nodes" | awk -F '|' 'NF > 2 { if ($3 == "True" && $5 == "") works[$1] = 1; next }
                NF == 2 && !works[$1] { print ($2 == "True" ? "waits" : "dead"), $1 }')
        fi
        missing=$(printf '%s\n' "$open" | sed -n 's/^waits //p')
        [ -n "$missing" ] || break
        if [ "$(date +%s)" -ge "$deadline" ]; then
            printf 'kube-proxy does not become ready on %s\n' "$missing" >&2
            exit 1
        fi
    done
    printf '%s\n' "$open" | sed -n 's/^dead \(.*\)/\1 is not Ready: its kube-proxy gets the new settings when it is back/p'
}
apply_kube_proxy() {
    # the settings to go back to, while the new ones are not proven; then the pods that still have former settings
    proxy_former=$APPLIED_FOLDER/kube-proxy-former.json proxy_left=$APPLIED_FOLDER/kube-proxy-restarts
    before=$(proxy_settings)
    unproven=yes
    # one from a run that was interrupted has settings that worked
    if [ ! -e "$proxy_former" ]; then
        unproven=
        if [ -n "$before" ]; then printf '{"data":%s}\n' "$before"; fi > "$proxy_former".new
        sync -- "$proxy_former".new
        mv "$proxy_former".new "$proxy_former"
        sync -- "$APPLIED_FOLDER"
    fi
    kubeadm init phase addon kube-proxy --config "$config"
    if [ -z "$unproven" ] && [ "$before" = "$(proxy_settings)" ]; then
        rm -f "$proxy_former"
        [ -e "$proxy_left" ] || return 0
    fi
    # an empty list says nothing about what a former run has proven
    if [ -e "$proxy_former" ] || [ ! -s "$proxy_left" ]; then
        prove_own_proxy
        other_proxies > "$proxy_left".new
        sync -- "$proxy_left".new
        mv "$proxy_left".new "$proxy_left"
        rm -f "$proxy_former"
    fi
    replace_other_proxies
    rm -f "$proxy_left"
}
