#!/bin/sh
# print-journal.sh: prints whose machine this is ("of CLUSTER NODE", "unnamed" or "blank"), "busy" if a run holds its lease, "running ID FINGERPRINT" for each batch
# that runs, and "done ID FINGERPRINT" for each step in its journal. Changes nothing and needs no agent: README.md, "Who reads the agent's files".
# constants: RUN_FOLDER STATE_FOLDER

. shell/lib/usual-path.sh

if [ -s "$STATE_FOLDER/cluster" ]; then echo "of $(cat "$STATE_FOLDER/cluster")"
elif [ -d "$STATE_FOLDER/journal" ]; then echo unnamed
else
    echo blank
    exit 0
fi
read -r up _ < /proc/uptime
read -r boot < /proc/sys/kernel/random/boot_id
if [ -f "$RUN_FOLDER/lease" ] && read -r _ until since < "$RUN_FOLDER/lease" && [ "$since" = "$boot" ] && [ "$until" -gt "${up%%.*}" ]; then echo busy; fi
for alive in "$RUN_FOLDER"/steps/*/alive; do
    batch=${alive%/alive}
    if [ ! -e "$alive" ] || [ -e "$batch/rc" ] || [ ! -f "$batch/meta" ] || flock -n -s "$alive" true; then continue; fi
    read -r print _ < "$batch/meta"
    echo "running ${batch##*/} $print"
done
for file in "$STATE_FOLDER"/journal/*; do
    case $file in *.new | *'*') continue ;; esac
    if read -r print _ < "$file"; then echo "done ${file##*/} $print"; fi
done
