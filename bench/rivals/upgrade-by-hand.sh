#!/bin/bash
# What kubeadm's documentation says of an upgrade, node after node. The new programs are in /root/new of each machine already, container images, too.
# Prints "NODE COMMAND SECONDS" for each command. Runs where the machines are reachable.
#   MASTERS="m1=ADDR m2=ADDR …" WORKERS="w1=ADDR …" KEY=FILE WORK=FOLDER VERSION=1.36.3 PATCHES=FOLDER KUBECTL=FILE KUBECONFIG=FILE upgrade-by-hand.sh
set -eu
: "${MASTERS:?}" "${WORKERS?}" "${KEY:?}" "${WORK:?}" "${VERSION:?}" "${PATCHES:?}" "${KUBECTL:?}" "${KUBECONFIG:?}"
export KUBECONFIG
node='' address=''
on() {
    ssh -i "$KEY" -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR \
        -o ControlMaster=auto -o ControlPath="$WORK/ssh-%h" -o ControlPersist=60 "root@$address" "$@"
}
trap 'for n in $MASTERS $WORKERS; do address=${n#*=}; on -O exit 2>/dev/null || true; done' EXIT
timed() { # name, command …
    local began
    began=$(date +%s%N)
    "${@:2}" >>"$WORK/upgrade-$node.log" 2>&1 || {
        cat "$WORK/upgrade-$node.log" >&2
        exit 1
    }
    printf '%s %s %se-3\n' "$node" "$1" "$((($(date +%s%N) - began) / 1000000))"
}
k() { "$KUBECTL" --request-timeout=20s "$@"; }
# The API server behind the endpoint may just have ended.
again() { for _ in 1 2 3 4 5 6 7 8 9 10; do if "$@"; then return; else sleep 1; fi; done; "$@"; }
serves() { [ "$(k get node "$node" -o 'jsonpath={.status.nodeInfo.kubeletVersion} {.status.conditions[?(@.type=="Ready")].status}')" = "v$VERSION True" ]; }
ready() { until serves; do sleep 1; done; }
kubelet() {
    timed drain again "$KUBECTL" drain "$node" --ignore-daemonsets --delete-emptydir-data --timeout=300s
    timed kubelet on 'install -m 755 /root/new/kubelet /root/new/kubectl /usr/local/bin/ && systemctl daemon-reload && systemctl restart kubelet'
    timed ready ready
    timed uncordon again k uncordon "$node"
}
at() { node=${1%=*} address=${1#*=}; }

# shellcheck disable=SC2086 # a list of names
set -- $MASTERS
at "$1"
timed plan on "/root/new/kubeadm upgrade plan v$VERSION"
timed apply on "/root/new/kubeadm upgrade apply v$VERSION --yes --patches $PATCHES"
kubelet
shift
for n in "$@" $WORKERS; do
    at "$n"
    timed node on "/root/new/kubeadm upgrade node --patches $PATCHES"
    kubelet
done
