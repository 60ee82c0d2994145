#!/bin/sh
# driver-snapshots.sh: driver_snapshots: prints a line for each snapshot of Cinder CSI, and for each VolumeSnapshot that has no content yet: nothing says
# whose it will be. Fails if the cluster does not answer; a cluster without the kinds has none.
# constants: CINDER_DRIVER

driver_snapshots() {
    group=snapshot.storage.k8s.io
    kinds=$(kubectl --request-timeout=20s get customresourcedefinitions "volumesnapshotcontents.$group" "volumesnapshots.$group" --ignore-not-found -o name) || return 1
    [ -n "$kinds" ] || return 0
    line='{.metadata.name}|{.spec.driver}|{.spec.volumeSnapshotRef.namespace}/{.spec.volumeSnapshotRef.name}'
    contents=$(kubectl --request-timeout=20s get "volumesnapshotcontents.$group" -o jsonpath="{range .items[*]}$line{\"\\n\"}{end}") || return 1
    line='{.metadata.namespace}/{.metadata.name}|{.status.boundVolumeSnapshotContentName}'
    snapshots=$(kubectl --request-timeout=20s get "volumesnapshots.$group" --all-namespaces -o jsonpath="{range .items[*]}$line{\"\\n\"}{end}") || return 1
    printf '%s\n' "$contents" | awk -F '|' -v driver="$CINDER_DRIVER" '
        $2 == driver { print "VolumeSnapshot " $3 " (VolumeSnapshotContent " $1 ")" }'
    printf '%s\n' "$snapshots" | awk -F '|' '$1 != "" && $2 == "" { print "VolumeSnapshot " $1 }'
}
