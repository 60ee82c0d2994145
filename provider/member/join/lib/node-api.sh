#!/bin/sh
# node-api.sh: node_api requests the node from the API; code_of extracts the HTTP code.
# It prints the answer and, on a line of its own, the HTTP code. A join waits for it, so it must be fast. If the answer is
# unclear, use kubectl.
# inputs: NAME
# constants: ADMIN_CONFIG

. kubeadm/lib/api-curl.sh

node_api() {
    api_curl -m 10 -w '\n%{http_code}' \
        "$(sed -n 's/^ *server: *//p' "$ADMIN_CONFIG")/api/v1/nodes/$NAME" || true
}
code_of() { printf '%s' "${1##*[!0-9]}"; }
