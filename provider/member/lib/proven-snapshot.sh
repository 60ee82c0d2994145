#!/bin/sh
# proven-snapshot.sh: prove_snapshot FILE reads a snapshot of etcd again: etcdutl opens it, and its content has the checksum that etcd put at its end, which
# alone is what is_whole FILE proves. Sets $revision, $keys and $sum; fails with the cause in $said. prove_snapshot wants etcd-image.sh.
# about FIELD prints what snapshot.sh has noted of the snapshot $stored beside it. is_of_newer_etcd: an etcd of a newer minor than the mounted one made it. Sets
# $of_snapshot and $here. Wants etcd-image.sh.
# shellcheck disable=SC2034,SC2154 # for the script; etcd-image.sh sets $programs, the script $stored

about() { sed -n "s/^$1=//p" "${stored%/*}/about"; }
# an older etcd does not start with data that a newer minor has written
is_of_newer_etcd() {
    of_snapshot=$(about etcd) here=$(etcd_version)
    [ "$(printf '%s\n' "${of_snapshot%.*}" "${here%.*}" | sort -V | tail -n 1)" != "${here%.*}" ]
}
is_whole() {
    sum=
    size=$(stat -c %s "$1") || { said="there is no file $1"; return 1; }
    # pages of 512 bytes or more, then the checksum
    if [ $((size % 512)) -ne 32 ]; then said="it has no checksum at its end, so it is not whole"; return 1; fi
    written=$(tail -c 32 "$1" | od -An -v -tx1 | tr -d ' \n')
    sum=$(head -c $((size - 32)) "$1" | sha256sum | cut -c 1-64)
    if [ "$sum" != "$written" ]; then said="its content has another checksum than etcd wrote"; return 1; fi
}
prove_snapshot() {
    is_whole "$1" || return 1
    said=$("$programs"/etcdutl snapshot status "$1" -w json 2>&1) || return 1
    revision=$(printf '%s\n' "$said" | sed -n 's/.*"revision": *\([0-9]*\).*/\1/p')
    keys=$(printf '%s\n' "$said" | sed -n 's/.*"totalKey": *\([0-9]*\).*/\1/p')
    [ -n "$revision" ] && [ -n "$keys" ]
}
