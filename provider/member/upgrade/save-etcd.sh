#!/bin/sh
# save-etcd.sh: saves etcd's data on this control-plane node before its first change. A later attempt of the same upgrade keeps what was saved: it is from
# before the change. The last three are kept. They have all data of the cluster, so only root may read them.
# inputs: NAME VERSION
# constants: ETCD_DATA SNAPSHOT_FOLDER UPGRADE_FOLDER
# shellcheck disable=SC2012 # names without spaces

. shell/lib/as-administrator.sh

. member/lib/transient-api-error.sh

file=$SNAPSHOT_FOLDER/before-$VERSION.db
# of this upgrade: another one begins with an empty folder
if [ -s "$file" ] && [ "$(cat "$UPGRADE_FOLDER"/saved 2>/dev/null)" = "$file" ]; then echo "etcd was saved before: $file"; exit 0; fi
mkdir -p "$SNAPSHOT_FOLDER"
chmod 700 "$SNAPSHOT_FOLDER"
inside=$ETCD_DATA/pulumi-nfv-before-upgrade.db
# of an attempt that was killed
rm -f "$inside" "$inside".part "$SNAPSHOT_FOLDER"/*.new
size=$(du -k "$ETCD_DATA"/member/snap/db | cut -f 1)
for folder in "$ETCD_DATA" "$SNAPSHOT_FOLDER"; do
    free=$(df -Pk "$folder" | awk 'NR == 2 { print $4 }')
    if [ "$free" -lt $((size + 524288)) ]; then
        echo "$folder has $((free / 1024)) MiB free: too few to save etcd's data ($((size / 1024)) MiB and 512 MiB that stay free); nothing was changed" >&2
        exit 1
    fi
done
in_etcd() { timeout 600 kubectl -n kube-system exec "etcd-$NAME" -c etcd -- "$@"; }
tries=0
until said=$(in_etcd etcdctl --endpoints=https://127.0.0.1:2379 --cacert=/etc/kubernetes/pki/etcd/ca.crt --cert=/etc/kubernetes/pki/etcd/server.crt \
    --key=/etc/kubernetes/pki/etcd/server.key snapshot save "$inside" 2>&1); do
    tries=$((tries + 1))
    rm -f "$inside" "$inside".part
    if [ $tries -ge 5 ] || ! is_transient "$said"; then printf '%s\n' "$said" >&2; exit 1; fi
    sleep 3
done
if ! said=$(in_etcd etcdutl snapshot status "$inside" 2>&1); then
    rm -f "$inside"
    echo "what etcd saved cannot be read again: $said" >&2
    exit 1
fi
cp "$inside" "$file".new
rm -f "$inside"
chmod 600 "$file".new
sync -- "$file".new
mv "$file".new "$file"
sync -- "$SNAPSHOT_FOLDER"
printf '%s\n' "$file" > "$UPGRADE_FOLDER"/saved.new
mv "$UPGRADE_FOLDER"/saved.new "$UPGRADE_FOLDER"/saved
ls -t "$SNAPSHOT_FOLDER"/before-*.db | tail -n +4 | while read -r old; do rm -f "$old"; done
echo "etcd saved: $file"
