#!/bin/sh
# back-in-service.sh: waits until a node reports what is wanted (its version, its boot) and is Ready, and uncordons it where UNCORDON is yes and our drain cordoned it.
# inputs: NAME WANTED FIELD (of the node's nodeInfo) UNCORDON
# constants: CORDONED_ANNOTATION CORDONED_ANNOTATION_ESCAPED

. shell/lib/as-administrator.sh

. shell/lib/seconds.sh

k() { kubectl --request-timeout=20s "$@"; }
until_then=$(($(seconds) + 240))
until said=$(k get node "$NAME" -o 'jsonpath={.status.nodeInfo.'"$FIELD"'} {.status.conditions[?(@.type=="Ready")].status} {.metadata.annotations.'"$CORDONED_ANNOTATION_ESCAPED"'}' 2>&1) &&
    [ "${said% *}" = "$WANTED True" ]; do
    if [ "$(seconds)" -ge "$until_then" ]; then
        echo "the node is not back with $WANTED: $said" >&2
        exit 1
    fi
    sleep 1
done
if [ "$UNCORDON" = yes ] && [ -n "${said##* }" ]; then
    tries=0
    until k uncordon "$NAME" >/dev/null && k annotate node "$NAME" "$CORDONED_ANNOTATION"- >/dev/null; do
        tries=$((tries + 1))
        [ $tries -lt 10 ] || exit 1
        sleep 2
    done
fi
