#!/bin/sh
# apply-cinder-csi.sh: applies the manifest of Cinder CSI, on a control-plane node. Takes the driver's part in snapshots away where it is not wanted any
# more, unless there are snapshots: without it nobody could delete them in the cloud.
# inputs: MANIFEST (YAML)
# inputs: LEAVING (YAML: what only the part in snapshots has; empty: it is wanted)
# constants: CINDER_DRIVER

. shell/lib/as-administrator.sh
. cloud-provider/ours.sh
. cloud-provider/driver-snapshots.sh

file=$(mktemp)
leaving=$(mktemp)
trap 'rm -f "$file" "$leaving"' EXIT
printf '%s\n' "$MANIFEST" > "$file"
printf '%s\n' "$LEAVING" > "$leaving"
refuse_used() {
    [ -n "$LEAVING" ] || return 0
    there=$(judged -f "$leaving") || return 1
    [ -n "$(ours_of "$there")" ] || return 0
    # a condition, where set -e has no effect: who cannot be asked counts as a user
    used=$(driver_snapshots) || return 1
    [ -n "$used" ] || return 0
    printf 'Cinder CSI goes on making snapshots, because there are some. Delete these first, or keep a class in cinderCsi.snapshotClasses; nothing of Cinder CSI was changed:\n%s\n' "$used" >&2
    exit 1
}
tries=0
# right after init the API may still refuse for a moment
until refuse_foreign "$file" && refuse_used && kubectl apply --server-side --force-conflicts --field-manager=pulumi-nfv -f "$file"; do
    tries=$((tries + 1))
    [ $tries -lt 10 ] || exit 1
    sleep 2
done
[ -z "$LEAVING" ] || delete_ours "$leaving"
