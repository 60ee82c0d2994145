#!/bin/sh
# removal.sh: remove_part FILE REFUSAL: deletes what is ours of the manifest, unless something still needs it. The script has a function `users`, which
# prints "keeps TEXT" for what stays until a person acts, and "leaves TEXT" for what the part itself is about to clean up: for that it waits.
# inputs: SECONDS_TO_WAIT
# Needs ours.sh.

remove_part() {
    there=$(judged -f "$1")
    [ -z "$(ours_of "$there")" ] || until_unused "$2"
    delete_ours "$1"
}
until_unused() {
    end=$(($(date +%s) + SECONDS_TO_WAIT))
    while :; do
        # a condition, where set -e has no effect: who cannot be asked counts as a user
        used=$(users) || exit 1
        [ -n "$used" ] || return 0
        if printf '%s\n' "$used" | grep -q '^keeps ' || [ "$(date +%s)" -ge "$end" ]; then
            printf '%s\n' "$1" >&2
            printf '%s\n' "$used" | sed 's/^[a-z]* //' >&2
            exit 1
        fi
        sleep 2
    done
}
