#!/bin/sh
# refuse-foreign.sh: refuse_foreign FILE ends the script if the cluster has one of the manifest's objects, and we have never applied it: others may have
# installed the same thing, by upstream's manifests or by Helm.

refuse_foreign() {
    line='{.kind}/{.metadata.name} {.metadata.managedFields[*].manager}{"\n"}'
    found=$(kubectl --request-timeout=20s get --ignore-not-found --show-managed-fields -f "$1" -o jsonpath="$line{range .items[*]}$line{end}")
    # one object comes alone, several as a List
    foreign=$(printf '%s\n' "$found" | awk '$1 ~ /.\/./ && !/ pulumi-nfv( |$)/ { print $1 }')
    [ -n "$foreign" ] || return 0
    printf 'the cluster has these already, and others made them; nothing was changed:\n%s\n' "$foreign" >&2
    exit 1
}
