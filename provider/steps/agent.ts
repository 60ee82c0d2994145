import { createHash } from "node:crypto";

/**
 * The program on the node: POSIX sh, with flock of util-linux and timeout of coreutils. Its verbs are described in protocol.ts.
 * State that shall outlive a reboot lies in /var/lib, everything else (leases, scripts, secrets) in /run, which a reboot empties.
 * A step is running exactly as long as its wrapper (`_step`) holds the lock on its file `alive`: no process id is ever trusted.
 */
export const agentText = String.raw`#!/bin/sh
set -u
umask 077
state=${"$"}{NFV_STATE_DIR:-/var/lib/pulumi-nfv}
run=${"$"}{NFV_RUN_DIR:-/run/pulumi-nfv}
for tool in flock timeout; do
    command -v "$tool" >/dev/null || { echo "$tool is missing on this machine" >&2; exit 69; }
done

# Sets now: seconds since boot, which unlike the date never jump.
look() { read -r now _ </proc/uptime; now=${"$"}{now%%.*}; }
look
read -r boot </proc/sys/kernel/random/boot_id
lock() { [ -d "$run/steps" ] || mkdir -p "$run/steps"; exec 9>"$run/lock"; flock 9; look; }
unlock() { exec 9>&-; }
put() { cat >"$1.new" && mv "$1.new" "$1"; }

# Sets holder and left; fails if no lease is alive.
lease() {
    [ -f "$run/lease" ] || return 1
    read -r holder until since <"$run/lease" || return 1
    [ "$since" = "$boot" ] || return 1
    left=$((until - now))
    [ "$left" -gt 0 ]
}
take_lease() { echo "$1 $((now + $2)) $boot" | put "$run/lease"; }
need_lease() { lease && [ "$holder" = "$1" ] || exit 72; }

# What has an exit code has ended: asking for that first saves a process.
is_running() { [ ! -f "$run/steps/$1/rc" ] && [ -f "$run/steps/$1/alive" ] && ! flock -n -s "$run/steps/$1/alive" true; }
record() { mkdir -p "$state/journal"; echo "$2 $(date -u +%Y-%m-%dT%H:%M:%SZ) $3" | put "$state/journal/$1"; }
# Each step folder, with its id in $id.
each_step() {
    for dir in "$run"/steps/*/; do
        id=${"$"}{dir%/}
        id=${"$"}{id##*/}
        [ -f "$dir/meta" ] || continue
        read -r print _ <"$dir/meta"
        "$1"
    done
}
print_running() { ! is_running "$id" || echo "running $id $print"; }
sweep() { is_running "$id" || rm -rf "$run/steps/$id"; }

# A script from standard input, whole or not at all.
receive() {
    [ -d "$run/in" ] || mkdir -p "$run/in"
    script=$run/in/$$
    cat >"$script"
    [ "$(tail -n 1 "$script")" = "# end of script" ] || { rm -f "$script"; exit 65; }
}

start() {
    dir=$run/steps/$1
    rm -rf "$dir"
    mkdir -p "$dir/secrets" "$state/log"
    mv "$script" "$dir/script"
    echo "$2 $4 $5" >"$dir/meta"
    if [ -d /run/systemd/system ]; then
        try=0
        # The unit of a former attempt may still be on its way out. By way of /bin/sh, because SELinux does not let systemd execute
        # files of /var/lib.
        until systemd-run --quiet --collect --unit "nfv-step-$1" -p "RuntimeMaxSec=$(($3 + 30))" -p TimeoutStopSec=5 \
            -p "Description=pulumi-nfv step $1" /bin/sh "$0" _step "$1" "$2" "$3" 9>&- </dev/null >"$dir/start" 2>&1; do
            try=$((try + 1))
            [ "$try" -lt 80 ] || { cat "$dir/start" >&2; rm -rf "$dir"; exit 1; }
            sleep 0.1
        done
    else
        setsid /bin/sh "$0" _step "$1" "$2" "$3" 9>&- </dev/null >/dev/null 2>&1 &
    fi
    try=0
    until [ -f "$dir/started" ]; do
        try=$((try + 1))
        [ "$try" -lt 1000 ] || { echo "the step's process did not start" >&2; exit 1; }
        sleep 0.01
    done
}

# Output from a byte offset on, as it comes, then the end.
follow() {
    dir=$run/steps/$1
    log=$state/log/$1
    offset=$2
    [ -f "$dir/alive" ] || exit 73
    exec 8<"$dir/alive" 7<"$log" || exit 73
    pause=0.2
    over=
    while :; do
        size=$(stat -L -c %s /proc/self/fd/7)
        if [ "$size" -gt "$offset" ]; then
            tail -c "+$((offset + 1))" "$log" | head -c "$((size - offset))" || exit 1
            offset=$size
        fi
        [ -z "$over" ] || break
        if flock -s -w "$pause" 8; then over=1; else pause=1; fi
    done
    exec 8<&-
    [ -f "$dir/rc" ] || exit 73
    echo "end $(cat "$dir/rc")" >&2
}

# Runs as the detached process. The journal is written here: a dead operator loses nothing.
step() {
    id=$1 print=$2 limit=$3
    dir=$run/steps/$id
    exec 8>"$dir/alive"
    flock 8
    exec >"$state/log/$id" 2>&1 </dev/null
    look
    began=$now
    finish() {
        code=$?
        trap - EXIT
        look
        seconds=$((now - began))
        [ "$code" != 137 ] || [ "$seconds" -lt "$limit" ] || code=124
        rm -rf "$dir/secrets" "$dir/script"
        [ "$code" != 0 ] || record "$id" "$print" "$seconds"
        echo "$code $seconds" | put "$dir/rc"
        exit 0
    }
    trap finish EXIT
    trap 'exit 143' TERM INT HUP
    : >"$dir/started"
    cd /
    SECRETS=$dir/secrets HOME=/root LC_ALL=C.UTF-8 timeout -k 10 "$limit" sh "$dir/script" 8>&-
}

verb=${"$"}{1:-}
[ $# -eq 0 ] || shift
case $verb:$# in
open:4)
    lock
    if [ -f "$state/cluster" ] && [ "$(cat "$state/cluster")" != "$1 $2" ]; then
        echo "foreign $(cat "$state/cluster")"
        exit 71
    fi
    if lease && [ "$holder" != "$3" ]; then
        echo "busy $holder $left"
        exit 70
    fi
    # A lease that is renewed after it was lost for a while leaves the steps of this holder as they are.
    [ -f "$run/lease" ] && read -r last _ <"$run/lease" && [ "$last" = "$3" ] || { each_step sweep; rm -rf "$run/in"; }
    take_lease "$3" "$4"
    mkdir -p "$state/journal"
    echo "$1 $2" | put "$state/cluster"
    for file in "$state"/journal/*; do
        case $file in *.new | *'*') continue ;; esac
        read -r print _ <"$file" && echo "done ${"$"}{file##*/} $print"
    done
    each_step print_running
    ;;
renew:2)
    lock
    need_lease "$1"
    take_lease "$1" "$2"
    ;;
close:1)
    # Forgotten meanwhile: nothing is to be left behind again.
    [ -d "$run" ] || exit 0
    lock
    ! lease || [ "$holder" != "$1" ] || rm -f "$run/lease"
    ;;
probe:2)
    receive
    trap 'rm -f "$script"' EXIT
    timeout -k 5 "$2" sh "$script" </dev/null
    ;;
run:6)
    receive
    lock
    need_lease "$4"
    busy=$(each_step print_running)
    known=
    [ ! -f "$run/steps/$1/meta" ] || known=$(cat "$run/steps/$1/meta")
    if [ "$busy" = "running $1 $2" ]; then
        rm -f "$script"
    elif [ -n "$busy" ]; then
        rm -f "$script"
        echo "$busy" >&2
        exit 74
    elif [ "$known" = "$2 $4 $5" ]; then
        rm -f "$script"
    else
        start "$1" "$2" "$3" "$4" "$5"
    fi
    unlock
    follow "$1" "$6"
    ;;
wait:2) follow "$1" "$2" ;;
done:3)
    lock
    need_lease "$3"
    record "$1" "$2" 0
    ;;
forget:1)
    lock
    if [ -n "$1" ]; then
        rm -f "$state/journal/$1"
    else
        rm -rf "$state/journal" "$state/log" "$state/cluster" "$state"/agent-* "$run"
        rmdir "$state" 2>/dev/null || true
    fi
    ;;
_step:3) step "$@" ;;
*)
    echo "unknown call: $verb with $# arguments" >&2
    exit 64
    ;;
esac
`;

/** Short hash of the agent's text: part of its name, so that an older one is never used by mistake. */
export const agentHash = createHash("sha256").update(agentText).digest("hex").slice(0, 12);

/** Where everything of ours lives on a node. */
export const stateFolder = "/var/lib/pulumi-nfv";

export const agentPath = `${stateFolder}/agent-${agentHash}`;
