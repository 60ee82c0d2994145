#!/bin/bash
# start.sh NAME COMMAND...: starts a service in the background, unless it runs; log in log/NAME.log, pid in run/NAME.pid.
# `cloud up` and the supervisor may both ask for it: the lock lets only one of them start it.
name=$1
shift
pid=/cloud/run/$name.pid
mkdir -p /cloud/run/lock
exec 9>"/cloud/run/lock/start-$name"
flock 9
if [ -s "$pid" ]; then
    old=$(cat "$pid")
    kill -0 "$old" 2>/dev/null && exit
    # Workers that outlive their service would keep its port. A service leads its session; servers have sessions of their own.
    pkill -KILL -s "$old"
fi
setsid "$@" >>"/cloud/log/$name.log" 2>&1 </dev/null 9>&- &
echo $! >"$pid"
