#!/bin/sh
# prove-endpoint.sh: proves that the API answers through the new endpoint.
# inputs: ADDRESS HOST URL
# constants: ADMIN_CONFIG

. shell/lib/usual-path.sh

. procedures/endpoint/lib/answers-at.sh

config="$ADMIN_CONFIG"
kubectl --kubeconfig "$config" --server "https://$ADDRESS:6443" --tls-server-name "$HOST" --request-timeout=10s get --raw /readyz >/dev/null
answers_at "$URL"
