#!/bin/sh
# seeded-etcd.sh: require_seed ends the script where no restore has brought a snapshot. place_seed makes etcd's data of it, before kubeadm begins the cluster: an
# etcd of this one member, its revision far higher than any that a client has seen. forget_lost_masters deletes the Nodes of the other control-plane nodes, which are lost. Wants
# etcd-image.sh and proven-snapshot.sh.
# inputs: NAME PEER SEED
# constants: ADMIN_CONFIG CLUSTER_CONFIG_FILE ETCD_DATA RESTORE_FAILED SEED_FOLDER
# shellcheck disable=SC2034,SC2154 # proven-snapshot.sh reads $stored; the others set $programs, $of_snapshot and $here

refuse_seed() {
    printf 'restore %s: %s\n' "$SEED" "$1" >&2
    exit "$RESTORE_FAILED"
}
require_seed() {
    case $(cat "$SEED_FOLDER/note" 2> /dev/null || true) in
        "$SEED "*) ;;
        *) refuse_seed "this machine has no snapshot of it, and kubeadm would begin an empty cluster; nothing was changed. If the restore was done once, another word in etcdRestore.run brings the snapshot again" ;;
    esac
}
place_seed() {
    # somebody may have reset the machine since: then kubeadm would begin an empty cluster
    if [ -e "$SEED_FOLDER/placed" ] && [ -d "$ETCD_DATA/member" ]; then return 0; fi
    # it was moved as a whole
    if [ ! -d "$ETCD_DATA/member" ]; then
        made=$ETCD_DATA/pulumi-nfv-seed
        trap unmount_etcd_image EXIT
        image=$(kubeadm config images list --config "$CLUSTER_CONFIG_FILE" 2> /dev/null | grep '/etcd:')
        if [ -z "$(ctr -n k8s.io images list -q "name==$image")" ]; then kubeadm config images pull --config "$CLUSTER_CONFIG_FILE"; fi
        mount_etcd_image "$image" || refuse_seed "etcd's programs are not there"
        stored=$SEED_FOLDER/snapshot.db
        if is_of_newer_etcd; then
            refuse_seed "the snapshot was made by etcd $of_snapshot, and this machine's etcd $here cannot read it: set kubernetes.version to a version with that etcd; nothing was changed"
        fi
        [ -d "$ETCD_DATA" ] || mkdir -m 700 "$ETCD_DATA"
        rm -rf "$made"
        # milliseconds: more than a cluster has written since any former restore
        if ! said=$("$programs"/etcdutl snapshot restore "$SEED_FOLDER/snapshot.db" --name "$NAME" --initial-cluster "$NAME=$PEER" \
            --initial-cluster-token "seed-$SEED" --initial-advertise-peer-urls "$PEER" --data-dir "$made" --bump-revision "$(date +%s)000" --mark-compacted 2>&1); then
            rm -rf "$made"
            refuse_seed "etcdutl failed: $(printf '%s' "$said" | tail -n 3 | tr '\n' ' '); nothing was changed"
        fi
        unmount_etcd_image
        trap - EXIT
        sync -f "$ETCD_DATA"
        mv "$made/member" "$ETCD_DATA/member"
        rm -rf "$made"
        sync -f "$ETCD_DATA"
    fi
    : > "$SEED_FOLDER/placed"
    sync -f "$SEED_FOLDER"
    echo "restore $SEED: etcd has the data of the snapshot $(cut -d ' ' -f 2 "$SEED_FOLDER/note")"
}
# each joins under its name: what the cluster knows of the former machine would be in its way
forget_lost_masters() {
    masters=$(kubectl --kubeconfig "$ADMIN_CONFIG" --request-timeout=30s get nodes -l node-role.kubernetes.io/control-plane -o name)
    lost=$(printf '%s\n' "$masters" | grep -vxF "node/$NAME" || true)
    # shellcheck disable=SC2086 # a list of names
    if [ -n "$lost" ]; then kubectl --kubeconfig "$ADMIN_CONFIG" --request-timeout=60s delete --ignore-not-found $lost; fi
}
