#!/bin/sh
# reset-host.sh: undoes what the steps of a host did.
# inputs: SOURCE ROLE LOAD_BALANCER OWN_FILES REPLACED_FILES NAME LEFT (yes: it is no member of a cluster any more) MEMBER_SINCE (never given)
# constants: CERTS_FOLDER CHECK_SCRIPT CLUSTER_PLUGINS_FILE FORMERS_FILE INSTALLED_PACKAGES_FILE MEMBER_FILE NODE_BUSY ORIGINALS_FOLDER ORIGINAL_ACTIVE_FILE ORIGINAL_FOLDERS_FILE ORIGINAL_OFF_FILE ORIGINAL_SERVICES_FILE
# constants: PROGRAM_FOLDER STAGED_PLUGINS_FILE STATE_FOLDER METADATA_RULES METADATA_SERVICE METADATA_UNIT METADATA_DROP_IN
# constants: STORAGE_RULES STORAGE_SERVICE STORAGE_UNIT STORAGE_DROP_IN
# shellcheck disable=SC2045,SC2153 # names without spaces; inputs

. shell/lib/originals.sh

. endpoint/without-former.sh

. endpoint/remove-guard.sh

. member/lib/refuse-member.sh

. host/lib/is-as-written.sh

. host/lib/remove-plugins.sh

. node/kubernetes/purge-packages.sh

. shell/lib/own-balancer.sh

. shell/lib/was-reset.sh

delete_notes() {
    rm -rf "$INSTALLED_PACKAGES_FILE" "$CLUSTER_PLUGINS_FILE" "$STAGED_PLUGINS_FILE" "$STATE_FOLDER"/images "$STATE_FOLDER"/etcd-before-upgrade "$STATE_FOLDER"/upgrade "$STATE_FOLDER"/certificates "$STATE_FOLDER"/keepalived.conf "$STATE_FOLDER"/config.toml \
        "$STATE_FOLDER"/virtual-address.nft "$FORMERS_FILE" "$STATE_FOLDER"/etcd-snapshots "$STATE_FOLDER"/etcd-restored "$STATE_FOLDER"/requests "$STATE_FOLDER"/rotated "$STATE_FOLDER"/etcd-seed /var/cache/pulumi-nfv/etcd /etc/pulumi-nfv
}
# a machine that has lost our notes may still serve the virtual address; without them it may also be somebody else's load balancer
is_our_balancer() {
    [ -d "$ORIGINALS_FOLDER" ] || is_own_balancer /etc/keepalived/keepalived.conf || is_own_balancer /etc/haproxy/haproxy.cfg
}
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin; export PATH
refuse_member
if host_was_reset; then
    delete_notes
    exit 0
fi
# keepalived first: the address moves before HAProxy stops answering
former=
# a change of the endpoint has not ended: its virtual address is served, although the wanted endpoint has none
if [ "$ROLE" = controlPlane ] && [ "$LOAD_BALANCER" != yes ] && grep -q '"vip":' "$FORMERS_FILE" 2>/dev/null; then former=yes; fi
if [ "$LOAD_BALANCER$former" = yes ] && is_our_balancer; then systemctl -q disable --now keepalived.service haproxy.service 2>/dev/null || true; fi
remove_guard
remove_rules "$STORAGE_SERVICE" "$STORAGE_RULES" "$STORAGE_UNIT" "$STORAGE_DROP_IN"
remove_rules "$METADATA_SERVICE" "$METADATA_RULES" "$METADATA_UNIT" "$METADATA_DROP_IN"
systemctl -q disable --now pulumi-nfv-etcd-snapshot.timer 2>/dev/null || true
systemctl -q disable --now kubelet.service 2>/dev/null || true
if [ "$SOURCE" != image ] && command -v ctr >/dev/null; then
    # images of the bundle; containers are gone with the node's membership
    names=$(ctr -n k8s.io images list -q 2>/dev/null || true)
    # shellcheck disable=SC2086 # a list of names
    [ -z "$names" ] || ctr -n k8s.io images remove $names >/dev/null 2>&1 || true
fi
for file in $OWN_FILES; do rm -f "$file"; done
# links and units of ours, not those that an image brought
for name in kubeadm kubelet kubectl etcdctl etcdutl; do
    case $(readlink "/usr/local/bin/$name" || true) in "$PROGRAM_FOLDER"/*) rm -f "/usr/local/bin/$name" ;; esac
done
used=
for namespace in $(ctr namespaces list -q 2>/dev/null || true); do
    [ "$namespace" = k8s.io ] || [ -z "$(ctr -n "$namespace" containers list -q 2>/dev/null || true)" ] || used="$used $namespace"
done
[ -z "$used" ] || echo "containerd stays: there are containers in its namespaces$used"
# the bundle's: it goes, or stays for the containers of others; empty: it is not there
runtime=
case $(readlink /usr/local/bin/containerd || true) in "$PROGRAM_FOLDER"/*) if [ -n "$used" ]; then runtime=stays; else runtime=goes; fi ;; esac
if [ "$runtime" = goes ]; then
    systemctl -q disable --now containerd.service 2>/dev/null || true
    for name in containerd containerd-shim-runc-v2 ctr runc; do
        case $(readlink "/usr/local/bin/$name" || true) in "$PROGRAM_FOLDER"/*) rm -f "/usr/local/bin/$name" ;; esac
    done
fi
[ -n "$used" ] || remove_plugins
for folder in /usr/local/share/ca-certificates /etc/pki/ca-trust/source/anchors; do
    [ -n "$(ls $folder/pulumi-nfv-*.crt 2>/dev/null)" ] || continue
    rm -f $folder/pulumi-nfv-*.crt
    if command -v update-ca-certificates >/dev/null; then update-ca-certificates >/dev/null; else update-ca-trust; fi
done
# lines of ours, not the file: others may have changed it since
if [ -e /etc/hosts ]; then change_file /etc/hosts without_block '# pulumi-nfv begin' '# pulumi-nfv end'; fi
if [ -e /etc/fstab ]; then change_file /etc/fstab sed 's/^# pulumi-nfv: //'; fi
if [ -s "$INSTALLED_PACKAGES_FILE" ]; then
    purge_packages "$(sort -u "$INSTALLED_PACKAGES_FILE")" "${used:+containerd runc}"
fi
named=$(cat /etc/hostname 2>/dev/null || true)
for file in $REPLACED_FILES "$STATE_FOLDER"/keepalived.conf; do without_former "$file"; done
for file in $REPLACED_FILES; do
    # a name that somebody gave since is not ours
    if [ "$runtime $file" = "stays /etc/systemd/system/containerd.service" ]; then
        continue
    elif [ "$file" != /etc/hostname ]; then
        ! is_as_written "$file" || restore "$file"
    elif [ "$named" = "$NAME" ]; then
        restore "$file"
        hostname "$(cat /etc/hostname)" || true
    fi
done
if [ ! -d "$ORIGINALS_FOLDER" ]; then
    for file in /etc/keepalived/keepalived.conf /etc/haproxy/haproxy.cfg; do ! is_own_balancer "$file" || rm -f "$file"; done
elif [ -n "$former" ]; then
    restore /etc/keepalived/keepalived.conf
    restore /etc/haproxy/haproxy.cfg
fi
for folder in "$ORIGINALS_FOLDER""$CERTS_FOLDER"/*; do
    [ -d "$folder" ] || continue
    folder=${folder#"$ORIGINALS_FOLDER"}
    # with containerd's package its folders may have gone
    for file in hosts.toml ca.crt; do
        if there "$ORIGINALS_FOLDER$folder/$file"; then mkdir -p "$folder"; fi
        restore "$folder/$file"
    done
    rmdir "$folder" 2>/dev/null || true
done
rmdir /etc/systemd/system/kubelet.service.d 2>/dev/null || true
rmdir /etc/containerd/certs.d /etc/containerd /etc/keepalived /etc/haproxy /opt/cni/bin /opt/cni /etc/cni/net.d /etc/cni 2>/dev/null || true
for folder in "$PROGRAM_FOLDER"/*; do
    [ "$runtime ${folder##*/}" = "stays containerd" ] || rm -rf "$folder"
done
rmdir "$PROGRAM_FOLDER" 2>/dev/null || true
rm -f "$CHECK_SCRIPT"
systemctl daemon-reload
# the distribution's, which ours hid
if [ "$runtime" = goes ]; then
    if systemctl cat containerd.service >/dev/null 2>&1; then systemctl -q enable --now containerd.service || true
    else rm -rf /var/lib/containerd /run/containerd; fi
fi
# nobody used it before
if [ -z "$used" ] && [ -s "$ORIGINAL_OFF_FILE" ]; then systemctl -q disable --now containerd.service 2>/dev/null || true; fi
for folder in $(cat "$ORIGINAL_FOLDERS_FILE" 2>/dev/null || true); do mkdir -p "$folder"; done
for service in $(cat "$ORIGINAL_SERVICES_FILE" 2>/dev/null || true); do
    # a load balancer that we did not use is as somebody wants it; one that was a package of ours is gone
    if [ "$service" != kubelet.service ] && [ "$LOAD_BALANCER$former" != yes ]; then continue; fi
    systemctl -q enable "$service" 2>/dev/null || true
done
systemctl reset-failed kubelet.service haproxy.service keepalived.service 2>/dev/null || true
if [ "$LOAD_BALANCER$former" = yes ]; then
    # with their own settings, which are back
    for service in haproxy.service keepalived.service; do
        ! grep -qxF "$service" "$ORIGINAL_ACTIVE_FILE" 2>/dev/null || systemctl start "$service" || echo "stays: $service: it ran before, and does not start"
    done
fi
systemctl -q try-restart containerd.service || true
# the copies go only when what they were put back to is on the disk
sync -f /etc
# by one rename, and it stays: the next reset sees that all is undone. It, the agent that may be running this, its journal and lease are
# taken away by who holds them.
if [ -d "$ORIGINALS_FOLDER" ]; then
    rm -rf "$ORIGINALS_FOLDER.gone"
    mv -T "$ORIGINALS_FOLDER" "$ORIGINALS_FOLDER.gone"
    sync -f "$STATE_FOLDER"
fi
delete_notes
