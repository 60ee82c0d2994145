#!/bin/sh
# observe-left.sh: looks which files of kubeadm are not as our last step left them.
# inputs: LEFT (paths, separated by blanks)
# constants: APPLIED_FOLDER LEFT_FILE LEFT_STEPS STATE_FOLDER UNDER_WAY

. member/join/lib/left-files.sh

# somebody else of ours has put them aside
for path in $UNDER_WAY "$APPLIED_FOLDER"/former-manifests "$APPLIED_FOLDER"/kubelet-former; do
    [ ! -e "$path" ] || { echo "a change is under way: there is $path" >&2; exit 1; }
done
[ -e "$LEFT_FILE" ] || { echo "nothing was noted" >&2; exit 1; }
# shellcheck disable=SC2086 # a list of words
if written_since $LEFT_STEPS; then echo "a step has written them since they were noted" >&2; exit 1; fi
# shellcheck disable=SC2086 # a list of paths
changed_files $LEFT
