#!/bin/sh
# reset-node.sh: removes Kubernetes from a machine.
# inputs: LEFT (yes: it has noted that it leaves) MEMBER_SINCE (see refuse-member.sh)
# constants: APPLIED_FOLDER AUTHORITY_FILE ETCD_DATA_NOTE INIT_STARTED_FILE JOIN_STARTED_FILE KEPT_FOR_JOIN KUBERNETES_FOLDER MEMBER_FILE NODE_BUSY PKI_FOLDER ROUTE_METRIC STATE_FOLDER UNFINISHED UPGRADE_FOLDER

. shell/lib/usual-path.sh

. member/leave/lib/unmount-pods.sh

. member/leave/lib/empty-folder.sh

. member/leave/lib/remove-cni-configuration.sh

. kubeadm/lib/cni-of-others.sh

. kubeadm/lib/cluster-links.sh

. member/leave/lib/remove-ipvs-services.sh

. member/lib/kubernetes-files.sh

. member/lib/refuse-member.sh

. shell/lib/was-reset.sh

refuse_member
if host_was_reset; then
    echo "the host was reset already"
    exit 0
fi
# what the node's steps made goes with this: if this run is killed, the next one does them again
rm -f "$STATE_FOLDER"/journal/cluster.join "$STATE_FOLDER"/journal/node.labels
for entry in "$STATE_FOLDER"/journal/node.*; do
    if [ -f "$entry" ]; then echo "$UNFINISHED @$(date +%s) 0" > "$entry"; fi
done
sync -f "$STATE_FOLDER" 2>/dev/null || true
systemctl stop kubelet.service 2>/dev/null || true
etcd=
# noted, for kubeadm takes the signs away and the run may be killed behind it
if [ -e "$ETCD_DATA_NOTE" ] || [ -e "$KUBERNETES_FOLDER"/manifests/etcd.yaml ] || [ -e "$PKI_FOLDER"/etcd/server.crt ]; then
    etcd=yes
    touch "$ETCD_DATA_NOTE" 2>/dev/null || true
fi
keep_others_files
if command -v kubeadm >/dev/null; then
    kubeadm reset -f --skip-phases=remove-etcd-member >/dev/null 2>&1 || kubeadm reset -f --skip-phases=remove-etcd-member
fi
put_others_files_back
remove_kubernetes_files
unmount_pods
remove_cni_configuration
others=$(others_networks)
remove_cni_state "$others"
rm -rf "$UPGRADE_FOLDER" /var/log/kubernetes /var/log/pods /var/log/containers
# these may be mounts themselves: empty them
empty_folder /var/lib/kubelet
[ -z "$etcd" ] || empty_folder /var/lib/etcd
remove_ipvs_services
for link in $(cluster_links); do is_bridge_of_others "$link" || ip link delete "$link" 2>/dev/null || true; done
ip route show | awk '/ metric '"$ROUTE_METRIC"'( |$)/ { print $1 }' |
    while read -r route; do ip route delete "$route" metric "$ROUTE_METRIC" || true; done
for tables in iptables ip6tables; do
    command -v $tables-save >/dev/null || continue
    rules=$($tables-save 2>/dev/null || true)
    printf '%s\n' "$rules" | grep -Eq 'KUBE-|CNI-|podnet|FLANNEL|cali[-:]|CILIUM_|WEAVE' || continue
    printf '%s\n' "$rules" | without_cluster_rules "$others" | $tables-restore
done
cluster_tables | while read -r family table; do nft delete table "$family" "$table" || true; done
rm -rf "$KEPT_FOR_JOIN" "$KEPT_FOR_JOIN.new" "$MEMBER_FILE" "$INIT_STARTED_FILE" "$JOIN_STARTED_FILE" "$AUTHORITY_FILE" "$ETCD_DATA_NOTE" "$APPLIED_FOLDER"
