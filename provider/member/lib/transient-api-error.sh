#!/bin/sh
# transient-api-error.sh: is_transient says whether what kubectl printed ($1) is an error that passes: an API server goes away, the virtual address
# moves, etcd elects a leader. Names stand in quotes, and an admission webhook gives a reason of its own: neither counts. An eviction that kubectl
# repeats itself is no error. Without an answer to its first question, kubectl says that there are no nodes.

is_transient() {
    printf '%s\n' "$1" |
        sed -e '/(will retry after /d' -e '/^[EWI][0-9]\{4\} /d' -e 's/"[^"]*"/""/g' -e 's/ denied the request:.*//' -e 's/ is forbidden:.*//' |
        grep -Eq \
            -e 'The connection to the server .* was refused' \
            -e 'connect: (connection refused|no route to host|network is unreachable)' \
            -e 'connection reset by peer|broken pipe|client connection lost|server sent GOAWAY' \
            -e '(^|: )(unexpected )?EOF([],]|$)' \
            -e 'TLS handshake timeout|i/o timeout|Client\.Timeout exceeded|context deadline exceeded' \
            -e 'lookup .*: (no such host|server misbehaving)' \
            -e 'apiserver is shutting down|has prevented the request from succeeding' \
            -e 'the server (is currently unable to handle|was unable to return|has received too many requests)' \
            -e 'Timeout: request did not complete within' \
            -e 'etcdserver: (request timed out|leader changed|no leader|too many requests|server stopped)' \
            -e 'rpc error: code = (Unavailable|DeadlineExceeded)' \
            -e "the server doesn't have a resource type"
}
