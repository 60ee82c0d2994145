#!/bin/sh
# snapshots.sh: functions on restic's list of the snapshots of one backup. Wants restic.sh, and for the last two $owner, $backup and $settings.
# one_a_line: the list in JSON, one a line, the oldest first. value_of KEY SNAPSHOT: a value of one line.
# list_snapshots: $snapshots, one a line, and $newest. delete_older MACHINE: after $snapshot was made, deletes those that "keep" does not have; MACHINE is
# what messages call this one.
# shellcheck disable=SC2154 # of the script

one_a_line() { sed 's/,{"time":/\n&/g' | grep '"id":"' || true; }
value_of() { printf '%s\n' "$2" | sed -n 's/.*"'"$1"'":"\([^"]*\)".*/\1/p'; }
list_snapshots() {
    if ! ask_snapshots --host "$owner" --tag "$backup"; then fail_backup "its snapshots cannot be listed: $(last_words)"; fi
    snapshots=$(printf '%s\n' "$said" | one_a_line)
    newest=$(printf '%s\n' "$snapshots" | tail -n 1)
}
delete_older() {
    # restic would delete this one first, and restores of "latest" would take the other one
    list_snapshots
    case $(value_of id "$newest") in
        "$snapshot"*) ;;
        *) fail_backup "it was made (snapshot $snapshot), and no older one was deleted, because restic has a newer one: $(value_of short_id "$newest") of $(value_of time "$newest"). Is this $1's clock right? If that time is wrong: restic forget $(value_of short_id "$newest")" ;;
    esac
    keep=$(cat "$settings/keep")
    # shellcheck disable=SC2086 # one word for each option
    if ! said=$(call_restic forget --quiet --host "$owner" --tag "$backup" --group-by host $keep --prune 2>&1); then
        fail_backup "it was made (snapshot $snapshot), but older ones were not deleted: $(last_words)"
    fi
}
