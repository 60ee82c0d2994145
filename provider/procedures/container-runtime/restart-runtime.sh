#!/bin/sh
# restart-runtime.sh: restarts containerd once for a word. Containers go on: each has a process of its own that keeps it.
# inputs: WORD
# constants: REQUEST_NOTES

. shell/lib/usual-path.sh

. node/runtime/containerd-answers.sh

# each start of a unit has another one, whatever the clock says
start_id() { systemctl show -p InvocationID --value containerd.service; }
before=$REQUEST_NOTES/.container-runtime-before
known=
# empty where the machine lost its power behind the rename
if [ -e "$before" ]; then read -r known id < "$before" || known=; fi
if [ "$known" != "$WORD" ]; then
    id=$(start_id)
    printf '%s %s\n' "$WORD" "${id:--}" > "$before.new"
    sync -- "$before.new"
    mv "$before.new" "$before"
fi
# a run that was stopped may have restarted it
if [ "$(start_id)" = "$id" ] || [ -z "$(start_id)" ]; then
    said=$(systemctl restart containerd.service 2>&1) || true
    wait_for_containerd "after its restart"
    if [ "$(start_id)" = "$id" ]; then
        printf 'systemd did not restart containerd: %s\n' "$said" >&2
        exit 1
    fi
fi
wait_for_containerd "after its restart"
