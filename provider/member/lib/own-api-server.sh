#!/bin/sh
# own-api-server.sh: wait_for_own_api_server waits until the API server of this machine is ready, or exits with an error. It waits for $start_seconds, or
# four minutes.
# inputs: ADDRESS
# constants: ADMIN_CONFIG

. kubeadm/lib/api-ready.sh

. member/lib/say-why.sh

wait_for_own_api_server() {
    end=$(($(date +%s) + ${start_seconds:-240}))
    until api_ready; do
        if [ "$(date +%s)" -ge "$end" ]; then
            echo "the API server of this machine is not ready" >&2
            kubectl --kubeconfig "$ADMIN_CONFIG" --server "https://$ADDRESS:6443" --request-timeout=3s get --raw '/readyz?verbose' 2>&1 |
                grep -v '^The connection to the server ' >&2 || true
            say_why
            exit 1
        fi
        sleep 0.5
    done
}
