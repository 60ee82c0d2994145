#!/bin/sh
# isolated-etcd.sh: runs etcd on a copy of its data, in a network of its own: it meets no member, no client and no port of this machine.
# Wants etcd-image.sh. begin_etcd FLAGS… starts etcd on $copy; ask_etcd URL; end_etcd [SIGNAL].
# wait_for_members prints the members that the copy's data has; wait_for_copy waits until it works as a cluster of its own.
# state_of_copy prints "REVISION KEYS" of its data, while no etcd runs on it.
# Wants $copy and $etcd_log.
# inputs: NAME
# shellcheck disable=SC2154 # the caller sets $copy and $etcd_log, etcd-image.sh $programs

isolated=
begin_etcd() {
    # shellcheck disable=SC2016 # of the inner shell
    unshare -n sh -c 'ip link set lo up && exec "$0" "$@"' "$programs/etcd" --name="$NAME" --data-dir="$copy" \
        --listen-client-urls=http://127.0.0.1:2379 --advertise-client-urls="$(etcd_flag advertise-client-urls)" \
        --listen-peer-urls=http://127.0.0.1:2380 "$@" >>"$etcd_log" 2>&1 </dev/null &
    isolated=$!
}
ask_etcd() { nsenter -t "$isolated" -n curl -s --noproxy '*' -m 5 "$1" 2>/dev/null; }
end_etcd() {
    [ -n "$isolated" ] || return 0
    kill "-${1:-TERM}" "$isolated" 2>/dev/null || true
    wait "$isolated" 2>/dev/null || true
    isolated=
}
# QUESTION: a command that fails until it has its answer
until_etcd_answers() {
    end=$(($(date +%s) + 300))
    until "$@"; do
        if ! kill -0 "$isolated" 2>/dev/null || [ "$(date +%s)" -ge "$end" ]; then
            echo "etcd does not work on the copy of its data:" >&2
            tail -n 5 "$etcd_log" >&2
            return 1
        fi
        sleep 0.5
    done
}
has_members() {
    found=$(ask_etcd http://127.0.0.1:2380/members) || return 1
    case $found in '['*'"peerURLs"'*) return 0 ;; esac
    return 1
}
copy_is_healthy() {
    case $(ask_etcd http://127.0.0.1:2379/health) in *'"health":"true"'*) return 0 ;; esac
    return 1
}
wait_for_members() {
    until_etcd_answers has_members
    found=$(printf '%s' "$found" | tr -d '\n' | members_in)
}
wait_for_copy() {
    until_etcd_answers copy_is_healthy
    wait_for_members
    if [ "${found##* }" != "$NAME" ] || [ "$(printf '%s\n' "$found" | wc -l)" != 1 ]; then
        printf 'the copy is not a cluster of %s alone, it has\n%s\n' "$NAME" "$found" >&2
        return 1
    fi
}
state_of_copy() {
    "$programs"/etcdutl snapshot status "$copy/member/snap/db" -w json |
        sed -n 's/.*"revision": *\([0-9]*\).*"totalKey": *\([0-9]*\).*/\1 \2/p'
}
