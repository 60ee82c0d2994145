#!/bin/sh
# renew-token-secrets.sh: Secrets with a lasting token of a service account get one of the new key. All API servers and controller managers sign with it, and
# accept the former one for a while. May be stopped at any moment: what is empty then, the controller manager fills.
# inputs: KEY_NAME
# constants: ROTATION_FAILED

. shell/lib/as-administrator.sh

. shell/lib/work-folder.sh

# the name of the key that signed a token: what its header says. Parts of a token are base64 of URLs, without padding
signed_by() {
    head=$(base64 -d 2>/dev/null | cut -d . -f 1 | tr '_-' '/+')
    case $((${#head} % 4)) in 2) head="$head==" ;; 3) head="$head=" ;; esac
    printf '%s' "$head" | base64 -d 2>/dev/null | sed -n 's/.*"kid" *: *"\([^"]*\)".*/\1/p'
}
# The files "left" and "empty" have a line "NAMESPACE NAME" for each Secret whose token has another key, or that has none; "count" how many Secrets there are.
# One that is being deleted does not get another token.
look() {
    : > "$work/left"
    : > "$work/empty"
    kubectl get secrets -A --field-selector type=kubernetes.io/service-account-token \
        -o jsonpath='{range .items[*]}{.metadata.namespace} {.metadata.name} ends:{.metadata.deletionTimestamp} {.data.token}{"\n"}{end}' > "$work/all"
    count=$(wc -l < "$work/all")
    while read -r namespace name ends token; do
        if [ "$ends" != ends: ]; then continue; fi
        if [ -z "$token" ]; then
            echo "$namespace $name" >> "$work/empty"
        elif [ "$(printf '%s' "$token" | signed_by)" != "$KEY_NAME" ]; then
            echo "$namespace $name" >> "$work/left"
        fi
    done < "$work/all"
}
# the controller manager fills what is empty. At most MANY; one that is gone or immutable is refused
empty_tokens() {
    emptied=0
    while read -r namespace name && [ $emptied -lt "$1" ]; do
        if kubectl -n "$namespace" patch secret "$name" --type=json -p '[{"op":"remove","path":"/data/token"}]' > /dev/null 2>> "$work/said"; then
            emptied=$((emptied + 1))
        fi
    done < "$work/left"
}
look
[ ! -s "$work/left" ] || echo "$(wc -l < "$work/left") of $count Secrets have a token of another key: they get one of the new key"
waited=0
least=
many=1
: > "$work/said"
while [ -s "$work/left" ] || [ -s "$work/empty" ]; do
    now=$(cat "$work/left" "$work/empty" | wc -l)
    if [ "$now" -lt "${least:-$((now + 1))}" ]; then
        least=$now
        waited=0
    fi
    if [ $waited -ge 120 ]; then
        echo "$now Secrets did not get a token of the new key; theirs end with the former key:" >&2
        cat "$work/empty" "$work/left" | head -n 10 >&2
        [ ! -s "$work/empty" ] || echo "the controller manager does not fill Secrets that have no token" >&2
        tail -n 3 "$work/said" >&2
        exit "$ROTATION_FAILED"
    fi
    # one alone, then more: where nothing fills them, no other one loses its token
    if [ ! -s "$work/empty" ]; then
        : > "$work/said"
        empty_tokens $many
        if [ $emptied -gt 0 ] && [ $many -lt 1000 ]; then many=$((many * 10)); fi
    fi
    sleep 3
    waited=$((waited + 3))
    look
done
echo "all $count Secrets with a token have one of the new key"
