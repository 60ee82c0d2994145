#!/bin/bash
# stop.sh NAME: ends a service, even if it hangs, but not what it has started: a start.sh of the supervisor has to write down a pid.
pid=/cloud/run/$1.pid
[ -s "$pid" ] || exit 0
kill -KILL "$(cat "$pid")" 2>/dev/null
for _ in {1..100}; do
    kill -0 "$(cat "$pid")" 2>/dev/null || break
    sleep 0.05
done
rm -f "$pid"
