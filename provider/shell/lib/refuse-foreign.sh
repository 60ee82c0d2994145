#!/bin/sh
# refuse-foreign.sh: functions that tell our objects from those that others made by the same names, by upstream's manifests or by Helm. Ours have our field
# manager.
# objects_of FILE: "KIND NAME NAMESPACE|MANAGERS", a line for each object of the manifest that the cluster has.
# refuse_foreign FILE: ends the script if one is not ours.
# delete_ours FILE: deletes those that are ours, and says what stays.

objects_of() {
    line='{.kind} {.metadata.name} {.metadata.namespace}|{.metadata.managedFields[*].manager} {"\n"}'
    # one object comes alone, several as a List
    said=$(kubectl --request-timeout=20s get --ignore-not-found --show-managed-fields -f "$1" -o jsonpath="$line{range .items[*]}$line{end}") || return 1
    printf '%s\n' "$said" | awk '$1 != "List" && NF > 1'
}
refuse_foreign() {
    found=$(objects_of "$1") || return 1
    # Kubernetes notes no manager for an account without a field, as ours once were
    foreign=$(printf '%s\n' "$found" | awk -F '|' 'NF > 1 && $2 !~ /(^| )pulumi-nfv / && !($1 ~ /^ServiceAccount / && $2 ~ /^ *$/) { print $1 }')
    [ -n "$foreign" ] || return 0
    printf 'the cluster has these already, and others made them; nothing was changed:\n%s\n' "$foreign" >&2
    exit 1
}
delete_ours() {
    found=$(objects_of "$1")
    printf '%s\n' "$found" | awk -F '|' 'NF > 1 && $2 !~ /(^| )pulumi-nfv / { print "stays, for others made it: " $1 }'
    printf '%s\n' "$found" | awk -F '|' '$2 ~ /(^| )pulumi-nfv / { print $1 }' |
        while read -r kind name place; do
            kubectl --request-timeout=20s delete "$kind" "$name" ${place:+-n "$place"} --ignore-not-found --wait=false
        done
}
