#!/bin/sh
# drain.sh: cordons and drains a node. Prints the id of its node object: "uid ID".
# inputs: NAME SECONDS_TO_WAIT POLICY (fail, evict or delete) GONE (yes: a kubelet that does not report need not confirm; stopped: it does not run; silent: the machine does not answer)
# constants: CORDONED_ANNOTATION CORDONED_ANNOTATION_ESCAPED DRAIN_FAILED

. shell/lib/as-administrator.sh

. member/lib/transient-api-error.sh

# kubectl asks the cluster's endpoint, not this machine: if its API server goes away, another one answers the next attempt
again() {
    tries=0
    until { problem=$(kubectl "$@" 2>&1 >&3); } 3>&1; do
        tries=$((tries + 1))
        if [ $tries -ge 10 ] || ! is_transient "$problem"; then printf '%s\n' "$problem" >&2; return 1; fi
        sleep 2
    done
}
uid=$(again get node "$NAME" --ignore-not-found -o 'jsonpath={.metadata.uid}')
[ -n "$uid" ] || exit 0
echo "uid $uid"
seen=$(again get node "$NAME" -o 'jsonpath={.spec.unschedulable}|{.metadata.annotations.'"$CORDONED_ANNOTATION_ESCAPED"'}')
ours=${seen#*|}
if [ "${seen%%|*}" != true ]; then
    again annotate --overwrite node "$NAME" "$CORDONED_ANNOTATION"=leaving >/dev/null
    ours=yes
fi
# prints each pod that a drain moves: NAMESPACE/NAME, and "local" if data in emptyDir volumes goes with it
pods_to_move() {
    kubectl get pods -A --field-selector "spec.nodeName=$NAME" --no-headers \
        -o 'custom-columns=NS:.metadata.namespace,NAME:.metadata.name,OWNER:.metadata.ownerReferences[0].kind,LOCAL:.spec.volumes[*].emptyDir' |
        awk '$3 != "DaemonSet" && $3 != "Node" { print $1 "/" $2, (NF > 3 && $4 != "<none>") ? "local" : "" }'
}
# the last line of output is shown as progress; the id says nothing to a person
pods_to_move | awk '
    { all++ }
    $2 == "local" && ++n <= 5 { names = names (n > 1 ? ", " : "") $1 }
    END { if (!n && all) print "pods that have to leave: " all
        if (n) print "pods whose emptyDir data is deleted: " names (n > 5 ? " and " n - 5 " more" : "") }' || true
unconfirmed=
look_for_kubelet() {
    case $GONE in
        stopped) unconfirmed=--skip-wait-for-delete-timeout=1 ;;
        yes | silent) ;;
        *) return 0 ;;
    esac
    ready=$(again get node "$NAME" -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}') || return 0
    if [ "$ready" = Unknown ] && [ "$GONE" = yes ]; then unconfirmed=--skip-wait-for-delete-timeout=1; fi
}
cordon() { again get node "$NAME" -o 'jsonpath={.metadata.annotations.'"$CORDONED_ANNOTATION_ESCAPED"'}' || echo unknown; }
# A run that was killed leaves this script running. If the next run has brought the node back meanwhile, a second cordon would stay for ever.
drain_once() {
    if [ -n "$ours" ] && [ -z "$(cordon)" ]; then echo "$NAME was uncordoned meanwhile: it is not cordoned again"; return 1; fi
    kubectl drain "$NAME" --ignore-daemonsets --delete-emptydir-data --force --timeout="$left"s $unconfirmed "$@"
}
# kubectl's own drain ends at the first such error: then its time is not up, and no policy decides
drain() {
    end=$(($(date +%s) + SECONDS_TO_WAIT))
    left=$SECONDS_TO_WAIT
    until said=$(drain_once "$@" 2>&1); do
        left=$((end - $(date +%s) - 2))
        if [ $left -le 0 ] || ! is_transient "$said"; then printf '%s\n' "$said"; return 1; fi
        sleep 2
    done
    printf '%s\n' "$said"
}
ready=
look_for_kubelet
# its pods may run on, and none of them will be said to have ended: a person has to say that it is off
if [ "$GONE$ready" = silentUnknown ] && [ "$SECONDS_TO_WAIT" -gt 30 ]; then SECONDS_TO_WAIT=30; fi
if out=$(drain); then printf '%s\n' "$out"; exit 0; fi
if [ -z "$unconfirmed" ]; then
    # a node controller notices only after 40 s that a kubelet has stopped
    look_for_kubelet
    if [ -n "$unconfirmed" ] && out=$(drain); then exit 0; fi
fi
case $POLICY in
    evict) if out=$(drain); then exit 0; fi ;;
    delete) if out=$(drain --disable-eviction); then exit 0; fi ;;
esac
if [ -n "$ours" ] && kubectl uncordon "$NAME" >/dev/null; then
    kubectl annotate node "$NAME" "$CORDONED_ANNOTATION"- >/dev/null || true
fi
{
    echo "pods are still on $NAME after $SECONDS_TO_WAIT s:"
    pods_to_move |
        awk '++n <= 5 { print "    " $1 ($2 == "local" ? " (has data in emptyDir volumes)" : "") } END { if (n > 5) print "    and " n - 5 " more" }'
    # only those beside a pod that stays: others have nothing to do with it
    { pods_to_move | sed 's/^/pod: /'; kubectl get poddisruptionbudgets -A --no-headers \
        -o custom-columns=NS:.metadata.namespace,NAME:.metadata.name,ALLOWED:.status.disruptionsAllowed; } |
        awk '$1 == "pod:" { sub("/.*", "", $2); has[$2] = 1; next }
            $3 == 0 && has[$1] { if (!n++) print "PodDisruptionBudgets that allow no disruption now:"; if (n <= 3) print "    " $1 "/" $2 }'
    printf '%s\n' "$out" | tail -n 3
} >&2
exit "$DRAIN_FAILED"
