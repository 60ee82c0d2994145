#!/bin/sh
# left-running.sh: prints a line for each batch that runs on this machine: BATCH STEP BEGAN LIMIT. STEP is the one that it has come to, BEGAN when that
# began (seconds since 1970), LIMIT how many seconds it may take; "-": not known. Changes nothing.
# constants: RUN_FOLDER

. shell/lib/usual-path.sh

if ! command -v flock > /dev/null; then exit 0; fi
for alive in "$RUN_FOLDER"/steps/*/alive; do
    batch=${alive%/alive}
    if [ ! -e "$alive" ] || [ -e "$batch/rc" ] || flock -n -s "$alive" true; then continue; fi
    # the agent's mark begins a line
    step=$(tr '\036' '\n' < "$batch/out" | sed -n 's/^begin \([a-z0-9.-]*\)$/\1/p' | tail -n 1)
    began=$(stat -c %Y "$batch/script" 2> /dev/null || true)
    limit=$(awk -v step="$step" '$1 == "nfv_step" && $2 == step { print $4; exit }' "$batch/batch" 2> /dev/null || true)
    echo "${batch##*/} ${step:--} ${began:--} ${limit:--}"
done
