#!/bin/bash
# stop.sh NAME: ends a service with all that it started in its session, even if it hangs.
pid=/cloud/run/$1.pid
[ -s "$pid" ] || exit 0
pkill -KILL -s "$(cat "$pid")"
for _ in {1..100}; do
    kill -0 "$(cat "$pid")" 2>/dev/null || break
    sleep 0.05
done
rm -f "$pid"
