#!/bin/sh
# observe-proxy.sh: looks whether the files of a former proxy are gone.
# inputs: PROXY ("yes" if there is one)
# constants: PROXY_FILES

. shell/lib/observed.sh

[ -z "$PROXY" ] || exit 0
for file in $PROXY_FILES; do
    [ ! -e "$file" ] || differs "$file is there, but the cluster has no proxy"
done
