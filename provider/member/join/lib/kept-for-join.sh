#!/bin/sh
# kept-for-join.sh: functions that keep what kubeadm's reset deletes and the join behind it needs: a master's keys, and our files. The copy stays until all is
# back, so a power failure between them loses nothing.
# keep_for_join, before the reset. put_back_for_join, after it, and before anything else: a former run may have been stopped there.
# inputs: ROLE
# constants: KEPT_FOR_JOIN KUBERNETES_FOLDER PKI_FOLDER

keep_for_join() {
    rm -rf "$KEPT_FOR_JOIN" "$KEPT_FOR_JOIN.new"
    mkdir -m 700 "$KEPT_FOR_JOIN.new"
    cp -a "$KUBERNETES_FOLDER"/pulumi-nfv "$KEPT_FOR_JOIN.new"/
    if [ "$ROLE" = controlPlane ]; then
        for file in ca.crt ca.key sa.key sa.pub front-proxy-ca.crt front-proxy-ca.key etcd/ca.crt etcd/ca.key; do
            [ ! -e "$PKI_FOLDER/$file" ] || { mkdir -p "$KEPT_FOR_JOIN.new"/pki/etcd; cp -p "$PKI_FOLDER/$file" "$KEPT_FOR_JOIN.new/pki/$file"; }
        done
    fi
    sync -f "$KEPT_FOR_JOIN.new"
    mv -T "$KEPT_FOR_JOIN.new" "$KEPT_FOR_JOIN"
}
# FROM TO: what is there may be newer, and what is empty was being written
fill() {
    if [ ! -d "$1" ]; then return 0; fi
    (cd "$1" && find . ! -type d) | while read -r file; do
        [ ! -s "$2/$file" ] || continue
        mkdir -p "$(dirname "$2/$file")"
        # a name that the reset deletes
        beside=$(dirname "$2/$file")/.nfv-$(basename "$file").new
        cp -a "$1/$file" "$beside"
        mv "$beside" "$2/$file"
    done
}
put_back_for_join() {
    if [ ! -d "$KEPT_FOR_JOIN" ]; then return 0; fi
    if [ "$ROLE" = controlPlane ]; then fill "$KEPT_FOR_JOIN"/pki "$PKI_FOLDER"; fi
    # kubeadm leaves it as it is: file by file, what a step has deleted since would come back
    if [ -d "$KUBERNETES_FOLDER"/pulumi-nfv ]; then rm -rf "$KUBERNETES_FOLDER"/pulumi-nfv.new; fi
    if [ ! -d "$KUBERNETES_FOLDER"/pulumi-nfv ]; then fill "$KEPT_FOR_JOIN"/pulumi-nfv "$KUBERNETES_FOLDER"/pulumi-nfv.new; fi
    if [ -d "$KUBERNETES_FOLDER"/pulumi-nfv.new ]; then mv -T "$KUBERNETES_FOLDER"/pulumi-nfv.new "$KUBERNETES_FOLDER"/pulumi-nfv; fi
    sync -f "$KUBERNETES_FOLDER"
    rm -rf "$KEPT_FOR_JOIN"
}
