#!/bin/sh
# listed-objects.sh: list_objects prints "KIND NAMESPACE/NAME" of all objects that give rights, run programs or hold data, sorted. The file of a restore has those that there were before
# it, behind a line "WORD SNAPSHOT".
# constants: BACKUP_NOTES
# shellcheck disable=SC2034 # for the script

objects_before=$BACKUP_NOTES/objects-before-restore
get_objects() {
    kubectl --request-timeout=60s get "$1" -A \
        -o 'jsonpath={range .items[*]}{.kind} {.metadata.namespace}/{.metadata.name}{"\n"}{end}'
}
list_objects() {
    core=namespaces,serviceaccounts,secrets,services,persistentvolumeclaims,persistentvolumes
    apps=deployments.apps,statefulsets.apps,daemonsets.apps,jobs.batch,cronjobs.batch
    rights=roles.rbac.authorization.k8s.io,rolebindings.rbac.authorization.k8s.io,clusterroles.rbac.authorization.k8s.io,clusterrolebindings.rbac.authorization.k8s.io
    others=validatingwebhookconfigurations.admissionregistration.k8s.io,mutatingwebhookconfigurations.admissionregistration.k8s.io,customresourcedefinitions.apiextensions.k8s.io
    objects=$(get_objects "$core,$apps,$rights,$others") || return 1
    clusters=
    case $objects in *"CustomResourceDefinition /clusters.cluster.x-k8s.io"*) clusters=$(get_objects clusters.cluster.x-k8s.io) || return 1 ;; esac
    # tokens of joins end by themselves
    printf '%s\n%s\n' "$objects" "$clusters" | grep -v -e '^$' -e '^Secret kube-system/bootstrap-token-' | sort
}
