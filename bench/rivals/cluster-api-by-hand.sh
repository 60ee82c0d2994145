#!/bin/bash
# What a person types, without a pause: a workload cluster from a file of objects, and a network function on it. Runs where the APIs are reachable.
#   NAME=CLUSTER OBJECTS=FILE FUNCTION=FILE WORK=FOLDER MANAGEMENT=KUBECONFIG KUBECTL=FILE CLUSTERCTL=FILE cluster-api-by-hand.sh [remove]
set -eu
: "${NAME:?}" "${OBJECTS:?}" "${FUNCTION:?}" "${WORK:?}" "${MANAGEMENT:?}" "${KUBECTL:?}" "${CLUSTERCTL:?}"
began=$(date +%s%N)
say() { printf '%6.1f s  %s\n' "$((($(date +%s%N) - began) / 1000000))e-3" "$1"; }
management() { "$KUBECTL" --kubeconfig "$MANAGEMENT" "$@"; }
workload() { "$KUBECTL" --kubeconfig "$WORK/$NAME.kubeconfig" "$@"; }

if [ "${1:-}" = remove ]; then
    # Its machines go while their templates are there.
    management delete cluster "$NAME" --timeout=600s >/dev/null
    management delete --ignore-not-found -f "$OBJECTS" >/dev/null
    exit
fi

management apply --server-side -f "$OBJECTS" >/dev/null
say "applied the objects"
management wait --for=condition=Available "cluster/$NAME" --timeout=900s >/dev/null
say "the cluster is Available"
HOME=$WORK CLUSTERCTL_DISABLE_VERSIONCHECK=true "$CLUSTERCTL" get kubeconfig "$NAME" --kubeconfig "$MANAGEMENT" >"$WORK/$NAME.kubeconfig"
workload create namespace web >/dev/null
workload apply -n web -f "$FUNCTION" >/dev/null
workload rollout status -n web deployment/web --timeout=300s >/dev/null
say "the function is available"
