#!/bin/sh
# free-etcd-space.sh: gives back what the file of this machine's etcd does not use: compaction, then a defragmentation of this member alone, which does not
# answer meanwhile. So the others must have a majority, and a leader passes its role on first. Then the alarm NOSPACE is disarmed, if no member that answers is
# full any more. Prints what was done.
# constants: ETCD_ASIDE KUBERNETES_FOLDER PKI_FOLDER QUORUM_AT_RISK

. shell/lib/usual-path.sh

. member/lib/etcd-over-http.sh

here=https://127.0.0.1:2379
# a number of an answer of etcd
field() { printf '%s\n' "$2" | sed -n "s/.*\"$1\":\"\{0,1\}\([0-9]*\).*/\1/p"; }
status_of() { etcd_http -d '{}' "$1/v3/maintenance/status" || true; }
mebibytes() { echo "$(($1 / 1048576)) MiB"; }
refuse() {
    printf '%s\n' "$1" >&2
    exit "$QUORUM_AT_RISK"
}
# of each member that votes: id and URL. One that never started has none
members() {
    etcd_http -d '{}' "$here/v3/cluster/member/list" | tr -d '\n' | sed 's/},{/}\n{/g' | grep -v '"isLearner":true' |
        sed -n 's/.*"ID":"\([0-9]*\)".*"clientURLs":\["\([^"]*\)".*/\1 \2/p'
}
own=$(status_of "$here")
id=$(field member_id "$own") before=$(field dbSize "$own")
if [ -z "$id" ] || [ "$(field leader "$own" | sed 's/^0$//')" = '' ]; then refuse "etcd of this machine does not answer, or has no leader; nothing was changed"; fi
all=$(members)
count=$(printf '%s\n' "$all" | grep -c . || true)
# the other members that answer: id, size
others=$(printf '%s\n' "$all" | while read -r member url; do
    if [ "$member" = "$id" ] || [ -z "$url" ]; then continue; fi
    said=$(status_of "$url")
    if [ -n "$(field dbSize "$said")" ]; then echo "$member $(field dbSize "$said")"; fi
done)
answering=$(printf '%s\n' "$others" | grep -c . || true)
# one or two members have no majority without this one, whatever is done
if [ "$count" -ge 3 ] && [ "$answering" -lt $((count / 2 + 1)) ]; then
    refuse "etcd of this machine would not answer for some seconds, and only $answering of its $count members besides it do: etcd would have no majority; nothing was changed"
fi
is_leader() { [ "$(field leader "$(status_of "$here")")" = "$id" ]; }
if [ "$answering" -gt 0 ] && is_leader; then
    heir=$(printf '%s\n' "$others" | sed -n '1s/ .*//p')
    etcd_http -d "{\"targetID\":\"$heir\"}" "$here/v3/maintenance/transfer-leadership" > /dev/null || true
    tries=0
    while is_leader; do
        tries=$((tries + 1))
        if [ $tries -ge 20 ]; then refuse "etcd of this machine is the leader, and no other member takes that over; nothing was changed"; fi
        sleep 1
    done
fi
# an answer that it was done before is none that matters
etcd_http -m 600 -d "{\"revision\":\"$(field revision "$own")\",\"physical\":true}" "$here/v3/kv/compaction" > /dev/null || true
said=$(etcd_http -m 1500 -d '{}' "$here/v3/maintenance/defragment" || true)
# an empty object, which some versions give a header
case $said in
    '' | *'"error"'* | *'"code"'*) echo "etcd was not defragmented: $(printf '%s' "${said:-it did not answer}" | cut -c 1-300)" >&2; exit 1 ;;
esac
tries=0
until own=$(status_of "$here"); after=$(field dbSize "$own"); [ -n "$after" ] && [ "$(field leader "$own")" != 0 ]; do
    tries=$((tries + 1))
    if [ $tries -ge 120 ]; then echo "etcd of this machine does not answer after its defragmentation" >&2; exit 1; fi
    sleep 1
done
quota=$(etcd_flag quota-backend-bytes)
# etcd's own
case $quota in '' | 0) quota=2147483648 ;; esac
limit=$((quota * 95 / 100))
if [ "$after" -ge "$limit" ]; then
    echo "etcd is full: after its defragmentation it has $(mebibytes "$after"), which all are in use, and may have $(mebibytes "$quota"). Delete objects that nothing needs, or raise the quota: controlPlane.extraArgs.etcd.quota-backend-bytes" >&2
    exit 1
fi
disarmed=
full=$(printf '%s\n' "$others" | while read -r member size; do if [ -n "$size" ] && [ "$size" -ge "$limit" ]; then echo "$member"; fi; done)
if [ -z "$full" ]; then
    alarms=$(etcd_http -d '{"action":"GET"}' "$here/v3/maintenance/alarm" | tr -d '\n' | sed 's/},{/}\n{/g' | sed -n 's/.*"memberID":"\([0-9]*\)","alarm":"NOSPACE".*/\1/p')
    for member in $alarms; do
        etcd_http -d "{\"action\":\"DEACTIVATE\",\"memberID\":\"$member\",\"alarm\":\"NOSPACE\"}" "$here/v3/maintenance/alarm" > /dev/null
        disarmed='; the alarm NOSPACE is disarmed'
    done
fi
echo "etcd was compacted and defragmented: its file had $(mebibytes "$before"), and has $(mebibytes "$after") of $(mebibytes "$quota")$disarmed"
