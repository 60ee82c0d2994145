#!/bin/bash
# alive.sh: names of the services that run.
for file in /cloud/run/*.pid; do
    name=${file##*/}
    [ "$name" != root.pid ] && kill -0 "$(cat "$file")" 2>/dev/null && echo "${name%.pid}"
done
exit 0
