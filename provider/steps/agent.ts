import { createHash } from "node:crypto";
import { stateFolder } from "../shell/folders";

/** In the journal, in place of the fingerprint: the step was done before, has begun again and not ended. */
export const unfinished = "unfinished";

/**
 * The program on the node: POSIX sh, with flock of util-linux and coreutils. protocol.ts describes its verbs, batch.ts
 * the batches. State that must survive a reboot is in /var/lib, everything else (leases, scripts, secrets) in /run,
 * which a reboot empties. `for NODE` before a verb: this machine acts for another node, with a lease and batches of its
 * own, beside those of this machine (see `forNode` in run-context.ts). A batch runs exactly as long as its wrapper (`_batch`) holds the lock on its file `alive`:
 * process ids are never used for that. Starting processes is what costs time, so shell built-ins are preferred to
 * programs.
 */
export const agentText = String.raw`#!/bin/sh
set -u
umask 077
state=${"$"}{NFV_STATE_DIR:-/var/lib/pulumi-nfv}
run=${"$"}{NFV_RUN_DIR:-/run/pulumi-nfv}
for_node=
if [ "${"$"}{1:-}" = for ]; then
    for_node=$2
    run=$run/for/$2
    shift 2
fi
for tool in flock timeout; do
    command -v "$tool" >/dev/null || { echo "$tool is missing on this machine" >&2; exit 69; }
done

# Sets now and ticks: seconds and hundredths since boot, which unlike the date never jump.
look() {
    read -r up _ </proc/uptime
    now=${"$"}{up%%.*}
    ticks=$now${"$"}{up##*.}
    ticks=${"$"}{ticks#${"$"}{ticks%%[!0]*}}
}
look
read -r boot </proc/sys/kernel/random/boot_id
folder() { [ -d "$1" ] || mkdir -p "$1"; }
lock() { folder "$run/steps"; exec 9>"$run/lock"; flock 9; look; }
unlock() { exec 9>&-; }

# Sets holder and left; fails if no lease is alive.
lease() {
    [ -f "$run/lease" ] || return 1
    read -r holder until since <"$run/lease" || return 1
    [ "$since" = "$boot" ] || return 1
    left=$((until - now))
    [ "$left" -gt 0 ]
}
take_lease() { echo "$1 $((now + $2)) $boot" >"$run/lease"; }
need_lease() { lease && [ "$holder" = "$1" ] || exit 72; }

# What has an exit code has ended: asking for that first saves a process.
is_running() { [ ! -f "$run/steps/$1/rc" ] && [ -f "$run/steps/$1/alive" ] && ! flock -n -s "$run/steps/$1/alive" true; }
# An act is done each time it is asked for: the journal does not have it.
is_act() { case $1 in act-* | stoppable-*) ;; *) return 1 ;; esac; }
# ID FINGERPRINT WHEN SECONDS. One write: an entry is whole, or it says nothing and the step is done again.
record() { folder "$state/journal"; echo "$2 $3 $4" >"$state/journal/$1"; }
# Each batch's folder, with its name in $id.
each_batch() {
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

# Sets script, from standard input, whole or not at all.
receive() {
    script=$("$@")
    case $script in *"# end of script") ;; *) exit 65 ;; esac
}

unit_of() { echo "nfv-batch-$1${"$"}{for_node:+.$for_node}.service"; }
# ID FINGERPRINT TIMEOUT HOLDER ATTEMPT
start() {
    dir=$run/steps/$1
    [ ! -e "$dir" ] || rm -rf "$dir"
    mkdir "$dir"
    [ -n "$for_node" ] || folder "$state/log"
    # for the first look of the next run (under-way.ts)
    if is_act "$2" && [ -z "$for_node" ]; then : >"$dir/alone"; fi
    printf '%s\n' "$script" >"$dir/batch"
    echo "$2 $4 $5" >"$dir/meta"
    if [ -d /run/systemd/system ]; then
        try=0
        # The unit of a former attempt may still be on its way out. By way of /bin/sh, because SELinux does not let systemd execute
        # files of /var/lib.
        until systemd-run --quiet --collect --unit "$(unit_of "$1")" -p "RuntimeMaxSec=$(($3 + 30))" -p TimeoutStopSec=5 \
            -p "Description=pulumi-nfv, from step $1 on" /bin/sh "$0" ${"$"}{for_node:+for "$for_node"} _batch "$1" 9>&- 6>&- </dev/null >"$dir/start" 2>&1; do
            try=$((try + 1))
            [ "$try" -lt 80 ] || { cat "$dir/start" >&2; rm -rf "$dir"; exit 1; }
            sleep 0.1
        done
    else
        setsid /bin/sh "$0" ${"$"}{for_node:+for "$for_node"} _batch "$1" 9>&- 6>&- </dev/null >/dev/null 2>&1 &
    fi
    try=0
    until [ -f "$dir/started" ]; do
        try=$((try + 1))
        [ "$try" -lt 500 ] || { echo "the batch's process did not start" >&2; exit 1; }
        sleep 0.02
    done
}

# Output from a byte offset on, as it comes, then the end.
follow() {
    dir=$run/steps/$1
    [ -f "$dir/alive" ] || exit 73
    exec 8<"$dir/alive" || exit 73
    # ends with the batch, and tail with it
    flock -s 8 >/dev/null 2>&1 6>&- &
    waiter=$!
    tail -c "+$(($2 + 1))" -s 0.1 --pid "$waiter" -f "$dir/out" 6>&- 8>&- &
    shown=$!
    wait "$waiter"
    wait "$shown" || exit 1
    [ -z "$watcher" ] || kill "$watcher" 2>/dev/null
    exec 8<&-
    [ -f "$dir/rc" ] || exit 73
    read -r code seconds <"$dir/rc"
    echo "end $code $seconds" >&2
}

# The steps of a batch call this one after another: ID FINGERPRINT LIMIT SCRIPT. Each has a shell and a deadline of its own.
nfv_step() {
    # Nobody waits any more: what has begun is finished, nothing new begins.
    [ -z "$step" ] || [ ! -e "$dir/abandoned" ] || exit 0
    step=$1 print=$2 limit=$3 running=yes
    printf '%s\n' "$4" >"$dir/script"
    look
    began=$ticks
    # What it was before is no longer true, also if the program goes back to that.
    is_act "$print" || [ ! -f "$state/journal/$step" ] || record "$step" ${unfinished} "@$((date + (ticks - first) / 100))" 0
    # to systemd's journal
    echo "nfv-step-$step${"$"}{for_node:+ for $for_node} begins" >&5
    printf '\036begin %s\n' "$step"
    code=0
    SECRETS=$dir/secrets HOME=/root LC_ALL=C.UTF-8 timeout -k 10 "$limit" sh "$dir/script" 5>&- 8>&- || code=$?
    step_ended
    [ "$code" = 0 ] || exit 0
}
step_ended() {
    running=
    look
    spent=$((ticks - began))
    [ "$code" != 137 ] || [ "$spent" -lt "$((limit * 100))" ] || code=124
    seconds=$((spent % 100))
    [ "$seconds" -ge 10 ] || seconds=0$seconds
    seconds=$((spent / 100)).$seconds
    [ ! -d "$dir/secrets" ] || rm -rf "$dir/secrets"
    [ "$code" = 0 ] || echo "nfv-step-$step${"$"}{for_node:+ for $for_node} ended with $code" >&5
    [ "$code" != 0 ] || is_act "$print" || record "$step" "$print" "@$((date + (ticks - first) / 100))" "$seconds"
    printf '\036end %s %s %s %s\n' "$step" "$print" "$code" "$seconds"
}

# Runs as the detached process. The journal is written here: a dead operator loses nothing.
batch() {
    dir=$run/steps/$1
    exec 8>"$dir/alive"
    flock 8
    exec 5>&1 >"$dir/out" 2>&1 </dev/null
    date=$(date +%s)
    first=$ticks
    step= running= code=0 seconds=0
    finish() {
        last=$?
        trap - EXIT
        # ended from outside, in the middle of a step
        if [ -n "$running" ]; then code=$last; step_ended; fi
        rm -f "$dir/script" "$dir/batch"
        # its end says why it failed; a program that prints for ever must not fill the disk
        [ -n "$for_node" ] || tail -c 16777216 "$dir/out" >"$state/log/$1"
        echo "$code $seconds" >"$dir/rc"
        exit 0
    }
    trap "finish '$1'" EXIT
    trap 'exit 143' TERM INT HUP
    : >"$dir/started"
    cd /
    . "$dir/batch"
}

watcher=
verb=${"$"}{1:-}
[ $# -eq 0 ] || shift
case $verb:$# in
open:4)
    lock
    known=
    if [ -f "$state/cluster" ] && read -r known <"$state/cluster" && [ "$known" != "$1 $2" ]; then
        echo "foreign $known"
        exit 71
    fi
    if lease && [ "$holder" != "$3" ]; then
        echo "busy $holder $left"
        exit 70
    fi
    # A lease that is renewed after it was lost for a while leaves the steps of this holder as they are.
    [ -f "$run/lease" ] && read -r last _ <"$run/lease" && [ "$last" = "$3" ] || { each_batch sweep; rm -rf "$run/in"; }
    take_lease "$3" "$4"
    each_batch print_running
    # What is done for another node leaves nothing in this one's records.
    [ -z "$for_node" ] || exit 0
    folder "$state/journal"
    [ -n "$known" ] || { echo "$1 $2" >"$state/cluster.new" && mv "$state/cluster.new" "$state/cluster"; }
    for file in "$state"/journal/*; do
        case $file in *.new | *'*') continue ;; esac
        read -r print _ <"$file" && echo "done ${"$"}{file##*/} $print"
    done
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
    # also a lease that has expired meanwhile
    if [ -f "$run/lease" ] && read -r holder _ <"$run/lease" && [ "$holder" = "$1" ]; then
        rm -f "$run/lease"
        # an answer may be secret
        [ -z "$for_node" ] || each_batch sweep
    fi
    ;;
stop:2)
    lock
    need_lease "$2"
    [ -f "$run/steps/$1/meta" ] && read -r print _ <"$run/steps/$1/meta" || exit 0
    case $print in stoppable-*) ;; *) exit 0 ;; esac
    unlock
    # without systemd it ends at its deadline
    if [ -d /run/systemd/system ]; then systemctl stop "$(unit_of "$1")"; fi
    ;;
probe:2)
    receive cat
    folder "$run/in"
    trap 'rm -f "$run/in/$$"' EXIT
    printf '%s\n' "$script" >"$run/in/$$"
    timeout -k 5 "$2" sh "$run/in/$$" </dev/null
    ;;
run:7)
    receive head -c "$7"
    exec 6<&0 </dev/null
    lock
    need_lease "$4"
    busy=$(each_batch print_running)
    known=
    [ ! -f "$run/steps/$1/meta" ] || read -r known <"$run/steps/$1/meta"
    if [ "$busy" = "running $1 $2" ]; then
        rm -f "$run/steps/$1/abandoned"
    elif [ -n "$busy" ]; then
        echo "$busy" >&2
        exit 74
    elif [ "$known" != "$2 $4 $5" ]; then
        start "$1" "$2" "$3" "$4" "$5"
    fi
    unlock
    script=
    # Standard input ends with the connection.
    (read -r _ <&6; : >"$run/steps/$1/abandoned") >/dev/null 2>&1 &
    watcher=$!
    follow "$1" "$6"
    ;;
wait:2) follow "$1" "$2" ;;
done:3)
    lock
    need_lease "$3"
    record "$1" "$2" "@$(date +%s)" 0
    ;;
forget:1)
    lock
    if [ -n "$1" ]; then
        rm -f "$state/journal/$1"
    else
        rm -rf "$state/journal" "$state/log" "$state/observations" "$state/cluster" "$state"/agent-* "$run"
        # last: by it a repeated reset knows that all was undone
        rm -rf "$state/original.gone"
        rmdir "$state" 2>/dev/null || true
    fi
    ;;
_batch:1) batch "$@" ;;
*)
    echo "unknown call: $verb with $# arguments" >&2
    exit 64
    ;;
esac
`;

/** Short hash of the agent's text. It is part of the agent's name, so that another version is never used by mistake. */
export const agentHash = createHash("sha256").update(agentText).digest("hex").slice(0, 12);

export const agentPath = `${stateFolder}/agent-${agentHash}`;
