#!/bin/sh
# prepare-join.sh: removes what a former machine of this name left, and creates a token.
# inputs: ROLE
# constants: QUORUM_AT_RISK

. shell/lib/as-administrator.sh

. kubeadm/lib/etcdctl.sh

. kubeadm/lib/etcd-member-absent.sh

. kubeadm/lib/node-api.sh

if [ "$ROLE" = controlPlane ] && ! nobody_like_us; then
    # the pod is looked for here: a pipeline's function could not remember it
    find_etcd
    members=$(e member list)
    # shellcheck disable=SC2034 # columns
    printf '%s\n' "$members" | while IFS=, read -r id state name peers rest; do
        if [ "${name# }" = "$NAME" ] || [ "${peers# }" = "https://$ADDRESS:2380" ]; then
            e member remove "$id" >&2 || exit "$QUORUM_AT_RISK"
        fi
    done
fi
# kubeadm refuses a name that seems to live: it takes 40 s until a machine that is gone is called NotReady
# shellcheck disable=SC2119 # no further arguments of curl
if [ "$(code_of "$(node_api)")" != 404 ]; then
    former=$(kubectl --request-timeout=20s get node "$NAME" --ignore-not-found -o jsonpath='{.status.addresses[?(@.type=="InternalIP")].address}')
    [ "$former" != "$ADDRESS" ] || kubectl delete node "$NAME" --timeout=60s >&2
fi
kubeadm token create --ttl 20m --description "join of $NAME"
