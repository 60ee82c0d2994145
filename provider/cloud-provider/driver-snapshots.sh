#!/bin/sh
# driver-snapshots.sh: driver_snapshots: prints a line for each snapshot of Cinder CSI, and for each VolumeSnapshot that has no content yet: nothing says
# whose it will be. Fails if the cluster does not answer; a cluster without a kind has none of it: a removal that was stopped has left some of the kinds.
# constants: CINDER_DRIVER

driver_snapshots() {
    group=snapshot.storage.k8s.io
    kinds=$(kubectl --request-timeout=20s get customresourcedefinitions "volumesnapshotcontents.$group" "volumesnapshots.$group" --ignore-not-found -o name) || return 1
    # before their contents: one that gets its content meanwhile is in one of the lists
    line='{.metadata.namespace}/{.metadata.name}|{.status.boundVolumeSnapshotContentName}'
    snapshots=$(of_kind "volumesnapshots.$group" --all-namespaces) || return 1
    line='{.metadata.name}|{.spec.driver}|{.spec.volumeSnapshotRef.namespace}/{.spec.volumeSnapshotRef.name}'
    contents=$(of_kind "volumesnapshotcontents.$group") || return 1
    printf '%s\n' "$contents" | awk -F '|' -v driver="$CINDER_DRIVER" '
        $2 == driver { print "VolumeSnapshot " $3 " (VolumeSnapshotContent " $1 ")" }'
    printf '%s\n' "$snapshots" | awk -F '|' '$1 != "" && $2 == "" { print "VolumeSnapshot " $1 }'
}
of_kind() {
    case "$kinds" in
        *"/$1"*) kubectl --request-timeout=20s get "$@" -o jsonpath="{range .items[*]}$line{\"\\n\"}{end}" ;;
    esac
}
