#!/bin/sh
# note-upgrade.sh: notes which version this node moves to, before its first change. What is noted of another move ends with that.
# So does how its steps are observed: kubeadm writes settings and flags of the other version, and a run that ends before it notes them would leave the former
# ones, which the next one would put back.
# inputs: VERSION
# constants: KUBERNETES_FOLDER LEFT_NOTES UPGRADE_FOLDER

. shell/lib/usual-path.sh

. member/lib/node-version.sh

# shellcheck disable=SC2086 # a list of paths
rm -f $LEFT_NOTES
noted=$(cat "$UPGRADE_FOLDER"/move 2>/dev/null) || noted=
if [ "${noted#* }" = "$VERSION" ] && [ -n "$noted" ]; then exit 0; fi
from=$(running_kubelet)
# one that was stopped between its first change and kubelet's
if [ "$from" = "$VERSION" ] && [ -n "$noted" ]; then from=${noted#* }; fi
rm -rf "$UPGRADE_FOLDER"
mkdir -p "$UPGRADE_FOLDER"
chmod 700 "$UPGRADE_FOLDER"
printf '%s %s\n' "$from" "$VERSION" > "$UPGRADE_FOLDER"/move.new
sync -- "$UPGRADE_FOLDER"/move.new
mv "$UPGRADE_FOLDER"/move.new "$UPGRADE_FOLDER"/move
