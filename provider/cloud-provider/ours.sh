#!/bin/sh
# ours.sh: functions that tell our objects from those that others made by the same names: by upstream's manifests, by Helm, or by another program of this
# package, which has the same field manager. Ours have our field manager, our label, and no owner. The Secret has no label: its name is ours alone.
# judged ARGUMENTS: "VERDICT KIND NAME NAMESPACE" of each object that kubectl get finds. VERDICT is ours or foreign.
# ours_of TEXT: "KIND NAME NAMESPACE" of ours in what `judged` printed.
# refuse_foreign FILE: ends the script if an object of the manifest is not ours.
# delete_ours FILE: deletes those that are ours, and says what stays.
# constants: OBJECTS_TEMPLATE

judged() {
    said=$(kubectl --request-timeout=20s get --ignore-not-found --show-managed-fields "$@" -o "go-template=$OBJECTS_TEMPLATE") || return 1
    printf '%s\n' "$said" | awk -F '|' '
        function has(word) { return index(" " $2, " " word " ") > 0 }
        NF > 1 && $1 !~ /^[A-Za-z]*List / {
            split($1, name, " ")
            kind = name[1]
            if (!has("applied") || has("owned")) verdict = "foreign"
            else if (kind == "StorageClass") verdict = has("class") && has("cinder") ? "ours" : "foreign"
            else verdict = has("part") || kind == "Secret" ? "ours" : "foreign"
            print verdict " " $1
        }'
}
ours_of() { printf '%s\n' "$1" | sed -n 's/^ours //p'; }
refuse_foreign() {
    found=$(judged -f "$1") || return 1
    foreign=$(printf '%s\n' "$found" | sed -n 's/^foreign //p')
    [ -n "$foreign" ] || return 0
    printf 'the cluster has these already, and others made them; nothing was changed:\n%s\n' "$foreign" >&2
    exit 1
}
delete_ours() {
    found=$(judged -f "$1")
    ours=$(ours_of "$found")
    printf '%s\n' "$found" | sed -n 's/^foreign /stays, for others made it: /p'
    printf '%s\n' "$ours" | while read -r kind name place; do
        [ -n "$kind" ] || continue
        kubectl --request-timeout=20s delete "$kind" "$name" ${place:+-n "$place"} --ignore-not-found --wait=false
    done
}
