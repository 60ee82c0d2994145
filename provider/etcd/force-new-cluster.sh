#!/bin/sh
# force-new-cluster.sh: makes the data of this machine's etcd a cluster of one member, where most members are lost for ever.
# All is done and proven on a copy. Until the copy takes the place of the data, an interruption leaves the machine as it was. The exchange itself is two
# renames: meanwhile etcd's manifest is aside, because etcd would begin an empty cluster in an empty folder. The next run ends an interrupted one.
# inputs: NAME ADDRESS GIVEN_UP (lines: URLs of members that were found lost, names that were given up) LOST_NODES (lines: names)
# constants: ADMIN_CONFIG ETCD_ASIDE ETCD_DATA ETCD_IMAGE_FOLDER KUBERNETES_FOLDER PKI_FOLDER QUORUM_AT_RISK

. shell/lib/usual-path.sh

. member/lib/own-api-server.sh

. member/lib/other-process.sh

. member/lib/etcd-over-http.sh

. member/lib/etcd-image.sh

. etcd/lib/isolated-etcd.sh

manifest=$KUBERNETES_FOLDER/manifests/etcd.yaml work=$ETCD_DATA/new-cluster copy=$ETCD_DATA/new-cluster/data etcd_log=$ETCD_DATA/new-cluster/etcd.log
kept=$ETCD_DATA/before-new-cluster-$(date -u +%Y%m%dT%H%M%SZ)
refuse() {
    printf '%s; nothing was changed\n' "$*" >&2
    exit "$QUORUM_AT_RISK"
}
# runs at each end before the exchange
leave_as_it_was() {
    end_etcd KILL
    unmount_etcd_image
    rm -rf "$work"
    systemctl start kubelet.service
}
refuse_if_it_works() {
    if ! etcd_is_healthy; then return 0; fi
    if [ "$(etcd_members | members_in | wc -l)" = 1 ]; then
        wait_for_own_api_server
        echo "etcd of $NAME is a cluster of one member already"
        exit 0
    fi
    refuse "etcd of $NAME has a majority"
}
refuse_without_space() {
    needed=$(($(du -sk "$ETCD_DATA"/member | cut -f 1) + 204800))
    free=$(df -Pk "$ETCD_DATA" | awk 'END { print $4 }')
    [ "$free" -ge "$needed" ] || refuse "a copy of etcd's data needs $((needed / 1024)) MB in $ETCD_DATA, $((free / 1024)) MB are free"
}
# The lock is etcd's own: it shows etcd's end whatever its pod is called, and one that starts all the same waits for it.
stop_etcd() {
    # kubelet would start it again
    systemctl stop kubelet.service
    process=$(process_of etcd)
    [ -z "$process" ] || kill "$process" 2>/dev/null || true
    tries=0
    exec 7<"$ETCD_DATA"/member/snap/db
    until flock -n 7; do
        tries=$((tries + 1))
        if [ $tries -ge 60 ]; then echo "etcd does not end" >&2; return 1; fi
        sleep 1
    done
}
refuse_other_members() {
    begin_etcd
    wait_for_members
    end_etcd KILL
    members=$found
    printf '%s\n' "$members" | awk -v name="$NAME" '$2 == name { found = 1 } END { exit !found }' ||
        refuse "the data of $NAME does not have $NAME as a member, it has: $(printf '%s' "$members" | tr '\n' ',')"
    others=$(printf '%s\n' "$members" | awk -v name="$NAME" '$2 != name')
    [ -n "$others" ] || refuse "the data of $NAME has no other member: it needs no new cluster"
    printf '%s\n' "$others" | while read -r url name; do
        if printf '%s\n' "$GIVEN_UP" | grep -qxF -e "$url" -e "${name:-$url}"; then continue; fi
        refuse "the data of $NAME has the member ${name:-without a name} at $url, which was neither found lost nor given up"
    done || exit
}
prove_copy() {
    before=$(state_of_copy)
    refuse_other_members
    begin_etcd --force-new-cluster
    wait_for_copy
    end_etcd
    # as it will start from now on
    begin_etcd
    wait_for_copy
    end_etcd
    after=$(state_of_copy)
    # etcd may have written the last changes to its log only, and then the copy has more. etcd before 3.6 counts a few entries of its own as keys.
    if [ -z "$before" ] || [ -z "$after" ] || [ "${after% *}" -lt "${before% *}" ] || [ $((${after#* } + 10)) -lt "${before#* }" ]; then
        echo "the copy has other content (revision and keys: ${after:-unknown}) than the data (${before:-unknown})" >&2
        return 1
    fi
}
exchange() {
    if [ -d "$copy"/member ]; then
        if [ -d "$ETCD_DATA"/member ]; then
            # of an interrupted run, if they are empty
            rmdir "$ETCD_DATA"/before-new-cluster-* 2>/dev/null || true
            mkdir -m 700 "$kept"
            mv "$ETCD_DATA"/member "$kept"/member
            sync -f "$ETCD_DATA"
        fi
        mv "$copy"/member "$ETCD_DATA"/member
        sync -f "$ETCD_DATA"
    fi
    if [ ! -s "$ETCD_DATA"/member/snap/db ]; then
        echo "there is no data of etcd in $ETCD_DATA: its manifest stays in $ETCD_ASIDE, or etcd would begin an empty cluster" >&2
        exit 1
    fi
    mv "$ETCD_ASIDE" "$manifest"
    sync -f "$KUBERNETES_FOLDER"
    rm -rf "$work"
}
wait_for_new_cluster() {
    tries=0
    until etcd_is_healthy && [ "$(etcd_members | members_in | wc -l)" = 1 ]; do
        tries=$((tries + 1))
        if [ $tries -ge 240 ]; then
            say_why
            echo "etcd does not start with its new data; the former ones are in $ETCD_DATA/before-new-cluster-*" >&2
            return 1
        fi
        sleep 1
    done
    wait_for_own_api_server
}
# The cluster still calls the lost nodes Ready. Until it notices that their kubelets are silent (50 s), their drain would wait for these.
wait_until_nodes_are_unknown() {
    tries=0
    while [ $tries -lt 75 ]; do
        ready=$(for node in $LOST_NODES; do
            kubectl --kubeconfig "$ADMIN_CONFIG" --server "https://$ADDRESS:6443" --request-timeout=5s get node "$node" --ignore-not-found \
                -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status} ' || echo True
        done 2>/dev/null)
        case $ready in *True*) ;; *) return 0 ;; esac
        tries=$((tries + 1))
        sleep 2
    done
}
# an interrupted run may have left a manifest that somebody has put back by hand
if [ -e "$manifest" ]; then rm -f "$ETCD_ASIDE"; fi
if [ -e "$ETCD_ASIDE" ]; then
    echo "an interrupted exchange of etcd's data is ended"
    systemctl stop kubelet.service
else
    refuse_if_it_works
    [ -s "$ETCD_DATA"/member/snap/db ] || refuse "there is no data of etcd in $ETCD_DATA"
    place=$(etcd_flag data-dir)
    [ "$place" = "$ETCD_DATA" ] || refuse "etcd's data is in ${place:-an unknown folder}, not in $ETCD_DATA"
    rm -rf "$work"
    refuse_without_space
    trap leave_as_it_was EXIT
    trap 'exit 143' TERM INT HUP
    mount_etcd_image "$(image_of_etcd "$manifest")"
    echo "etcd is stopped, and its data copied"
    stop_etcd
    mkdir -m 700 "$work" "$copy"
    cp -a "$ETCD_DATA"/member "$copy"/member
    prove_copy
    echo "the copy works as a cluster of one member (revision and keys: $after); it takes the place of the data"
    unmount_etcd_image
    sync -f "$ETCD_DATA"
    # from here on, what has begun is ended
    trap '' TERM INT HUP
    mv "$manifest" "$ETCD_ASIDE"
    trap - EXIT
    sync -f "$KUBERNETES_FOLDER"
fi
exchange
exec 7<&-
systemctl start kubelet.service
wait_for_new_cluster
echo "etcd works; the cluster notices that the lost nodes are silent"
wait_until_nodes_are_unknown
echo "etcd of $NAME is a cluster of one member; the former data: $(find "$ETCD_DATA" -maxdepth 1 -name 'before-new-cluster-*' | sort | tail -n 1)"
