#!/bin/sh
# remove-controller-manager.sh: deletes what we made of the cloud controller manager, on a control-plane node. A Service with a load balancer has its
# finalizer: without the manager such a Service cannot be deleted, and its load balancer stays in the cloud.
# inputs: MANIFEST (YAML)

. shell/lib/as-administrator.sh
. cloud-provider/ours.sh
. cloud-provider/removal.sh

users() {
    line='{.metadata.namespace}/{.metadata.name}|{.metadata.deletionTimestamp}|{.metadata.finalizers[*]}'
    services=$(kubectl --request-timeout=20s get services --all-namespaces -o jsonpath="{range .items[*]}$line{\"\\n\"}{end}") || return 1
    printf '%s\n' "$services" | awk -F '|' '
        (" " $3 " ") !~ / service\.kubernetes\.io\/load-balancer-cleanup / { next }
        { print ($2 == "" ? "keeps" : "leaves") " Service " $1 }'
}
file=$(mktemp)
trap 'rm -f "$file"' EXIT
printf '%s\n' "$MANIFEST" > "$file"
remove_part "$file" 'The cloud controller manager stays as it is, because it serves load balancers of these Services. Delete them first, or give them another type, or leave cloudControllerManager switched on:'
