#!/bin/sh
# rewrite-secrets.sh: writes all Secrets again that another key than the new one encrypts, and proves in etcd that none is left. All API servers encrypt with
# the new key already, so one that somebody writes meanwhile needs no help. May be stopped at any moment.
# inputs: KEY_NAME (4 characters more than a multiple of 3 with its colon, see mark)
# constants: API_SERVER_MANIFEST PKI_FOLDER ROTATION_FAILED

. shell/lib/as-administrator.sh

. member/lib/etcd-over-http.sh

refuse() { echo "$1" >&2; exit "$ROTATION_FAILED"; }
if grep -qE '^ *- .?--etcd-prefix=' "$API_SERVER_MANIFEST" && ! grep -qE -e '--etcd-prefix=/registry.?$' "$API_SERVER_MANIFEST"; then
    refuse "the API server has its objects under another --etcd-prefix than /registry: Secrets cannot be looked at there"
fi
# etcd gives values in base64. A text of three times n bytes is the beginning of what base64 makes of any text that begins so.
text="k8s:enc:secretbox:v1:$KEY_NAME:"
[ $((${#text} % 3)) = 0 ] || refuse "the name of the key has a wrong length: $KEY_NAME"
mark=$(printf '%s' "$text" | base64 -w0)
. shell/lib/work-folder.sh

field() { sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }
# the file "left" has a line "NAMESPACE NAME" for each Secret of another key, "count" how many Secrets there are
look() {
    : > "$work/left"
    count=0
    start=$(printf /registry/secrets/ | base64 -w0)
    end=$(printf /registry/secrets0 | base64 -w0)
    while :; do
        etcd_http -m 60 -d "{\"key\":\"$start\",\"range_end\":\"$end\",\"limit\":\"100\"}" https://127.0.0.1:2379/v3/kv/range > "$work/page" || true
        grep -q '"header"' "$work/page" || refuse "etcd does not say which Secrets there are"
        tr '}' '\n' < "$work/page" | grep '"key":"' > "$work/entries" || break
        count=$((count + $(wc -l < "$work/entries")))
        { grep -v "\"value\":\"$mark" "$work/entries" || true; } | field key | while IFS= read -r key; do
            printf '%s' "$key" | base64 -d | sed 's#^/registry/secrets/\([^/]*\)/#\1 #'
            echo
        done >> "$work/left"
        start=$({ tail -n 1 "$work/entries" | field key | base64 -d; printf '\000'; } | base64 -w0)
    done
}
rewrite() {
    cut -d ' ' -f 1 "$work/left" | sort -u > "$work/namespaces"
    while IFS= read -r namespace; do
        # one that is gone or was changed meanwhile is an error here, and none at the next look
        sed -n "s/^$namespace //p" "$work/left" |
            xargs -n 50 kubectl -n "$namespace" get secrets --ignore-not-found --show-managed-fields -o json 2>> "$work/said" |
            kubectl replace --validate=false -f - > /dev/null 2>> "$work/said" || true
    done < "$work/namespaces"
}
for round in 1 2 3 4 5; do
    look
    if [ ! -s "$work/left" ]; then
        echo "all $count Secrets are encrypted with $KEY_NAME"
        exit 0
    fi
    echo "$(wc -l < "$work/left") of $count Secrets have another key: they are written again"
    : > "$work/said"
    rewrite
    [ "$round" = 1 ] || sleep 2
done
look
if [ ! -s "$work/left" ]; then exit 0; fi
echo "$(wc -l < "$work/left") Secrets could not be written again, the former key stays for them:" >&2
head -n 10 "$work/left" >&2
tail -n 3 "$work/said" >&2
exit "$ROTATION_FAILED"
