#!/bin/sh
# renew-token-secrets.sh: Secrets with a lasting token of a service account get one of the new key. All API servers and controller managers sign with it, and
# accept the former one for a while. May be stopped at any moment.
# inputs: KEY_NAME
# constants: ROTATION_FAILED

. shell/lib/as-administrator.sh

work=$(mktemp -d -p /run)
trap 'rm -rf "$work"' EXIT
trap 'exit 143' HUP INT TERM

# the name of the key that signed a token: what its header says. Parts of a token are base64 of URLs, without padding
signed_by() {
    head=$(base64 -d 2>/dev/null | cut -d . -f 1 | tr '_-' '/+')
    case $((${#head} % 4)) in 2) head="$head==" ;; 3) head="$head=" ;; esac
    printf '%s' "$head" | base64 -d 2>/dev/null | sed -n 's/.*"kid" *: *"\([^"]*\)".*/\1/p'
}
# the file "left" has a line "NAMESPACE NAME" for each Secret whose token has another key, or that has none yet; "count" how many Secrets there are
look() {
    : > "$work/left"
    kubectl get secrets -A --field-selector type=kubernetes.io/service-account-token \
        -o jsonpath='{range .items[*]}{.metadata.namespace} {.metadata.name} {.data.token}{"\n"}{end}' > "$work/all"
    count=$(wc -l < "$work/all")
    while read -r namespace name token; do
        if [ "$(printf '%s' "$token" | signed_by)" != "$KEY_NAME" ]; then echo "$namespace $name"; fi
    done < "$work/all" > "$work/left"
}
waited=0
look
[ ! -s "$work/left" ] || echo "$(wc -l < "$work/left") of $count Secrets have a token of another key: they get one of the new key"
while [ -s "$work/left" ]; do
    if [ $waited -ge 120 ]; then
        echo "$(wc -l < "$work/left") Secrets did not get a token of the new key; theirs end with the former key:" >&2
        head -n 10 "$work/left" >&2
        tail -n 3 "$work/said" >&2
        exit "$ROTATION_FAILED"
    fi
    : > "$work/said"
    # the controller manager fills what is empty; one that has no token yet is an error here, and so is one that is gone
    while read -r namespace name; do
        kubectl -n "$namespace" patch secret "$name" --type=json -p '[{"op":"remove","path":"/data/token"}]' > /dev/null 2>> "$work/said" || true
    done < "$work/left"
    sleep 3
    waited=$((waited + 3))
    look
done
echo "all $count Secrets with a token have one of the new key"
