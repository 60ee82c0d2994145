#!/bin/sh
# uncordon.sh: takes back the cordon of a drain of ours; a node that somebody else has cordoned stays so.
# inputs: NAME
# constants: CORDONED_ANNOTATION CORDONED_ANNOTATION_ESCAPED

. shell/lib/as-administrator.sh

ours=$(kubectl get node "$NAME" --ignore-not-found --request-timeout=20s -o 'jsonpath={.metadata.annotations.'"$CORDONED_ANNOTATION_ESCAPED"'}')
[ -n "$ours" ] || exit 0
kubectl uncordon "$NAME" --request-timeout=20s >/dev/null
kubectl annotate node "$NAME" "$CORDONED_ANNOTATION"- --request-timeout=20s >/dev/null
