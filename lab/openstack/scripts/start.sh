#!/bin/bash
# start.sh NAME COMMAND...: starts a service in the background, unless it runs; log in log/NAME.log, pid in run/NAME.pid.
name=$1
shift
pid=/cloud/run/$name.pid
[ -s "$pid" ] && kill -0 "$(cat "$pid")" 2>/dev/null && exit
setsid "$@" >>"/cloud/log/$name.log" 2>&1 </dev/null &
echo $! >"$pid"
