#!/bin/sh
# set-labels.sh: sets labels, annotations and taints of a node.
# inputs: NAME PATCH LABELS ANNOTATIONS TAINTS TAINT_KEYS
# constants: CORDONED_ANNOTATION
# shellcheck disable=SC2086,SC2153 # lists of words; inputs

. shell/lib/as-administrator.sh

k() { kubectl --request-timeout=20s "$@"; }
ours() { printf '{.metadata.annotations.pulumi-nfv\.dev/%s}|' "$1"; }
i=0
until had=$(k get node "$NAME" -o "jsonpath=$(ours labels)$(ours annotations)$(ours taints)$(ours cordoned)"); do
    i=$((i + 1))
    [ $i -lt 30 ] || exit 1
    sleep 1
done
# those of the list $1 that are not in the list $2, each with a minus
gone() {
    for key in $1; do
        case " $2 " in *" $key "*) ;; *) printf '%s- ' "$key" ;; esac
    done
}
labels=$(gone "${had%%|*}" "$LABELS")
had=${had#*|}
annotations=$(gone "${had%%|*}" "$ANNOTATIONS")
had=${had#*|}
taints=$(gone "${had%%|*}" "$TAINT_KEYS")
had=${had#*|}
if [ -n "${had%%|*}" ]; then
    k uncordon "$NAME" >/dev/null
    k annotate node "$NAME" "$CORDONED_ANNOTATION"- >/dev/null
fi
[ -z "$labels" ] || k label node "$NAME" $labels >/dev/null
[ -z "$annotations" ] || k annotate node "$NAME" $annotations >/dev/null
# an absent taint is an error for kubectl, and is what we want
for taint in $taints; do k taint node "$NAME" "$taint" >/dev/null 2>&1 || true; done
[ -z "$TAINTS" ] || k taint node "$NAME" --overwrite $TAINTS >/dev/null
# by standard input: annotations may be longer than an argument can be
printf '%s' "$PATCH" | k patch node "$NAME" --type merge --patch-file /dev/stdin >/dev/null
