#!/bin/sh
# apply-kube-proxy.sh: apply_kube_proxy updates kube-proxy's settings, and replaces its pods if they changed. Wants $config.
# Its pods read the settings only at the start. Its rules stay in place meanwhile. This machine's pod is replaced first: if it does
# not work, the former settings are restored, and the pods of the other nodes are not touched. The pods are deleted: kubeadm's next
# run would remove a restart annotation from the template and so restart them once more.
# Until all pods have the new settings, a ConfigMap of ours says how far the change is: another control-plane node may have to finish it.
# Without it the settings are proven. It is an object of its own because kubeadm removes annotations of its objects.
# shellcheck disable=SC2154 # the caller sets $config

proxy_note=pulumi-nfv-kube-proxy
# a key of the note: "state" (unproven; proven: all but the pods in "left" have the settings), "former" (the settings to go back to, empty
# if there were none), "left" (pods that still have former settings)
noted_proxy() { kubectl -n kube-system get configmap "$proxy_note" --ignore-not-found -o "jsonpath={.data.$1}"; }
note_proxy() {
    said=$(kubectl -n kube-system create configmap "$proxy_note" --from-literal=state="$1" --from-literal=former="$2" --from-literal=left="$3" \
        --dry-run=client -o yaml) || return 1
    printf '%s\n' "$said" | kubectl apply --server-side --force-conflicts --field-manager=pulumi-nfv -f - >/dev/null
}
forget_proxy_note() { kubectl -n kube-system delete configmap "$proxy_note" --ignore-not-found >/dev/null; }
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
    # without former ones the note stays: the next run must not take these for proven
    if [ -n "$former" ]; then
        kubectl -n kube-system patch configmap kube-proxy --type=merge -p "$former"
        delete_proxies "${found%% *}"
        if [ -n "$left" ]; then note_proxy proven '' "$left"; else forget_proxy_note; fi
        echo "the former ones are back; the other nodes' pods were not touched" >&2
    fi
    exit 1
}
# A node that is not Ready cannot replace its pod. It must not stop a run that has nothing to do with it: its pod is marked as
# deleted, and it starts a new one when it is back.
replace_other_proxies() {
    delete_proxies "$left"
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
    before=$(proxy_settings)
    state=$(noted_proxy state)
    left=$(noted_proxy left)
    if [ "$state" = unproven ]; then
        former=$(noted_proxy former)
    else
        former=
        [ -z "$before" ] || former="{\"data\":$before}"
        note_proxy unproven "$former" "$left"
    fi
    kubeadm init phase addon kube-proxy --config "$config"
    if [ "$state" != unproven ] && [ "$before" = "$(proxy_settings)" ]; then
        if [ -z "$state" ]; then
            forget_proxy_note
            return 0
        fi
    else
        prove_own_proxy
        left=$(other_proxies)
    fi
    note_proxy proven '' "$left"
    replace_other_proxies
    forget_proxy_note
}
