#!/bin/sh
# remove-cinder-csi.sh: deletes what we made of Cinder CSI, on a control-plane node. Without the driver the pods that use its volumes could neither end nor
# move, and volumes of deleted claims, and deleted snapshots, would stay in the cloud. Volumes of the former in-tree driver are served by this one, too.
# inputs: MANIFEST (YAML)
# constants: CINDER_DRIVER

. shell/lib/as-administrator.sh
. cloud-provider/ours.sh
. cloud-provider/removal.sh
. cloud-provider/driver-snapshots.sh

users() {
    # what others may write comes last
    line='{.metadata.name}|{.spec.csi.driver}|{.status.phase}|{.spec.persistentVolumeReclaimPolicy}|{.spec.claimRef.namespace}/{.spec.claimRef.name}|{.metadata.deletionTimestamp}|{.spec.cinder.volumeID}'
    volumes=$(kubectl --request-timeout=20s get persistentvolumes -o jsonpath="{range .items[*]}$line{\"\\n\"}{end}") || return 1
    line='{.metadata.name}|{.spec.attacher}|{.spec.source.persistentVolumeName}|{.spec.nodeName}'
    attachments=$(kubectl --request-timeout=20s get volumeattachments -o jsonpath="{range .items[*]}$line{\"\\n\"}{end}") || return 1
    snapshots=$(driver_snapshots) || return 1
    printf '%s\n' "$snapshots" | sed -n 's/^VolumeSnapshot /keeps &/p'
    printf '%s\n' "$volumes" | awk -F '|' -v driver="$CINDER_DRIVER" '
        $2 != driver && $7 == "" { next }
        $3 == "Bound" { print "keeps claim " $5 " (PersistentVolume " $1 ")"; next }
        $6 != "" { print "leaves PersistentVolume " $1 ", which is being deleted"; next }
        $4 == "Delete" && ($3 == "Released" || $3 == "Failed") { print "leaves PersistentVolume " $1 " (" $3 "), whose volume is to be deleted in the cloud" }'
    printf '%s\n' "$attachments" | awk -F '|' -v driver="$CINDER_DRIVER" '
        $2 == driver { print "leaves VolumeAttachment " $1 " (PersistentVolume " $3 " on node " $4 ")" }'
}
file=$(mktemp)
trap 'rm -f "$file"' EXIT
printf '%s\n' "$MANIFEST" > "$file"
remove_part "$file" 'Cinder CSI stays as it is, because it is in use. Delete these first (claims: with their pods), or leave cinderCsi switched on:'
