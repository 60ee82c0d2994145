#!/bin/bash
# wait-ports.sh SECONDS NAME ADDRESS PORT [NAME ADDRESS PORT ...]: returns when all listen; names the first that does not, or that has ended.
seconds=$1
shift
while [ $# -gt 0 ]; do
    until (exec 3<>"/dev/tcp/$2/$3") 2>/dev/null; do
        if [ -s "/cloud/run/$1.pid" ] && ! kill -0 "$(cat "/cloud/run/$1.pid")" 2>/dev/null; then
            echo "$1 has ended" >&2
            exit 1
        fi
        [ "$SECONDS" -lt "$seconds" ] || { echo "$1 does not listen on port $3" >&2; exit 1; }
        sleep 0.2
    done
    shift 3
done
