#!/bin/sh
# etcd-member-absent.sh: nobody_like_us succeeds if etcd lists no member of this name or address.
# It asks this node's own etcd by its HTTP gateway: etcdctl exists only in etcd's container, and starting it there takes
# seconds on a busy machine.
# inputs: NAME PEER (URL of its etcd)
# constants: PKI_FOLDER

nobody_like_us() {
    members=$(curl -sf --noproxy '*' -m 5 --cacert "$PKI_FOLDER"/etcd/ca.crt --cert "$PKI_FOLDER"/etcd/server.crt \
        --key "$PKI_FOLDER"/etcd/server.key -d '{}' https://127.0.0.1:2379/v3/cluster/member/list 2>/dev/null) || return 1
    case $members in
        *'"'"$NAME"'"'* | *'"'"$PEER"'"'*) return 1 ;;
        *'"members":['*) return 0 ;;
    esac
    return 1
}
