#!/bin/sh
# apply-secret.sh: applies a manifest with secrets and restarts our workloads that read the former one, on a control-plane
# node. Right after init the API may still refuse requests, so this is retried.
# secrets: manifest
# constants: NAMESPACE WORKLOADS

. shell/lib/as-administrator.sh
. cloud-provider/ours.sh

k() { kubectl -n "$NAMESPACE" --request-timeout=20s "$@"; }
tries=0
until refuse_foreign "$SECRETS/manifest" && k apply --server-side --force-conflicts --field-manager=pulumi-nfv -f "$SECRETS/manifest"; do
    tries=$((tries + 1))
    [ $tries -lt 10 ] || exit 1
    sleep 2
done
for workload in $WORKLOADS; do
    # others may have one of this name
    found=$(judged -n "$NAMESPACE" "$workload")
    [ -z "$(ours_of "$found")" ] || k rollout restart "$workload"
done
