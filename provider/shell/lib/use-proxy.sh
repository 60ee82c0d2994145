#!/bin/sh
# use-proxy.sh: the programs that follow use the HTTP proxy, if there is one.
# constants: PROXY_ENVIRONMENT_FILE

if [ -r "$PROXY_ENVIRONMENT_FILE" ]; then
    set -a
    # shellcheck disable=SC1090 # a file of the node
    . "$PROXY_ENVIRONMENT_FILE"
    set +a
fi
