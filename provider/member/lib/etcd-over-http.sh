#!/bin/sh
# etcd-over-http.sh: asks etcd by HTTP, with the certificate of this machine's etcd. That needs neither an API server nor a majority of etcd.
# etcd_http CURL-ARGUMENTS… prints the answer; etcd_flag NAME prints a flag of this machine's etcd, from its manifest.
# etcd_members prints what this machine's data has as members, as JSON. It asks the port for the other members: after a start without a majority
# etcd serves no clients. etcd_is_healthy succeeds if this machine's etcd has a leader, so a majority.
# members_in reads that JSON and prints a line "URL NAME" for each member; a member that never started has no name.
# constants: ETCD_ASIDE KUBERNETES_FOLDER PKI_FOLDER

etcd_http() {
    # the port for the other members offers HTTP/2 and does not answer it
    curl -s --http1.1 --noproxy '*' --connect-timeout 3 -m 6 --cacert "$PKI_FOLDER"/etcd/ca.crt --cert "$PKI_FOLDER"/etcd/server.crt \
        --key "$PKI_FOLDER"/etcd/server.key "$@" 2>/dev/null
}
etcd_flag() {
    cat "$KUBERNETES_FOLDER"/manifests/etcd.yaml "$ETCD_ASIDE" 2>/dev/null |
        sed -n "s/^ *- [\"']\{0,1\}--$1=\([^\"']*\).*/\1/p" | head -n 1
}
etcd_members() { etcd_http "$(etcd_flag initial-advertise-peer-urls)/members" | tr -d '\n'; }
etcd_is_healthy() {
    case $(etcd_http https://127.0.0.1:2379/health) in *'"health":"true"'*) return 0 ;; esac
    return 1
}
members_in() {
    sed 's/},{/}\n{/g' | while IFS= read -r member || [ -n "$member" ]; do
        url=$(printf '%s\n' "$member" | sed -n 's/.*"peerURLs":\["\([^"]*\)".*/\1/p')
        name=$(printf '%s\n' "$member" | sed -n 's/.*"name":"\([^"]*\)".*/\1/p')
        [ -z "$url" ] || echo "$url $name"
    done
}
