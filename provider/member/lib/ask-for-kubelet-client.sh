#!/bin/sh
# ask-for-kubelet-client.sh: obtain_kubelet_client, on a worker: kubelet asks for its client certificate as at its join, with a token of the control plane.
# Wants kubelet-certificates.sh.
# secrets: control-plane (the token)
# constants: BOOTSTRAP_CONFIG KUBELET_CONFIG PKI_FOLDER
# shellcheck disable=SC2154 # due-certificates.sh sets the paths

# kubelet uses this file only if its own certificate has ended, and then writes its kubeconfig again
write_bootstrap_config() {
    token=$(tail -n 1 "$SECRETS/control-plane")
    case $token in
        ??????.????????????????) ;;
        *) echo "the control plane gave no token" >&2; exit 1 ;;
    esac
    server=$(sed -n 's/^ *server: *//p' "$KUBELET_CONFIG" | head -n 1)
    authority=$(base64 < "$PKI_FOLDER"/ca.crt | tr -d '\n')
    umask 077
    printf '%s\n' 'apiVersion: v1' 'kind: Config' 'current-context: bootstrap' \
        'clusters:' '- name: bootstrap' '  cluster:' "    server: $server" "    certificate-authority-data: $authority" \
        'contexts:' '- name: bootstrap' '  context:' '    cluster: bootstrap' '    user: bootstrap' \
        'users:' '- name: bootstrap' '  user:' "    token: $token" > "$BOOTSTRAP_CONFIG"
    umask 022
}
obtain_kubelet_client() {
    echo "kubelet asks for a client certificate as at its join"
    # one that has not ended would keep it from asking
    rm -f "$kubelet_client"
    write_bootstrap_config
    start_kubelet_again
    code=0
    kubelet_renews_within 120 || code=1
    rm -f "$BOOTSTRAP_CONFIG"
    if [ $code != 0 ]; then
        echo "kubelet did not get a client certificate:" >&2
        say_why
        exit 1
    fi
}
