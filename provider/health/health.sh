#!/bin/sh
# health.sh: prints how a machine is, as lines name=value; one that cannot be found out is left out.
# Then what the machine's notes say of our steps. It changes nothing. Whatever may hang has a limit; without the notes, all limits together are less than
# 25 seconds.
# inputs: NOTES (paths; empty: none)
# constants: KUBELET_CONFIG KUBERNETES_FOLDER PKI_FOLDER UPGRADE_FOLDER NOTES_SECONDS

. shell/lib/usual-path.sh

manifests=$KUBERNETES_FOLDER/manifests settings=/var/lib/kubelet/config.yaml

say() { [ -z "$2" ] || echo "$1=$2"; }
say uptime "$(cut -d . -f 1 /proc/uptime 2>/dev/null || true)"
if [ -s "$KUBELET_CONFIG" ]; then echo joined=yes; fi

# one line for each service, also for one that does not run, which is no failure here
states=$(timeout 2 systemctl is-active kubelet.service containerd.service 2>/dev/null || true)
kubelet=$(printf '%s\n' "$states" | sed -n 1p)
# systemd pauses before it starts an ended kubelet again: a kubelet without a restart yet may be well in a moment
if [ "$kubelet" = activating ] && [ "$(timeout 1 systemctl show -p NRestarts --value kubelet.service 2>/dev/null || true)" = 0 ]; then kubelet=; fi
say kubelet "$kubelet"
say runtime "$(printf '%s\n' "$states" | sed -n 2p)"
# containerd answers late when it has just started, or on a machine under load: it counts as silent after some seconds only
seconds=7
printf '%s\n' "$states" | sed -n 2p | grep -qx active || seconds=1
code=0
# shellcheck disable=SC2016 # of the inner shell
timeout $seconds sh -c 'until timeout 4 ctr version; do case $? in 126 | 127) exit 127 ;; esac; sleep 1; done' >/dev/null 2>&1 || code=$?
case $code in
    0) echo runtimeAnswers=yes ;;
    # no such program
    127) ;;
    *) echo runtimeAnswers=no ;;
esac

# not df: it asks all file systems, and one of a silent NFS server never answers
set -- /var/lib/kubelet /var/lib/containerd /var/lib/etcd /
code=0
timeout 1 stat -f -c 'disk=%n %S %b %a %c %d' -- "$@" 2>/dev/null || code=$?
# 1: one of them is not there
[ "$code" -gt 1 ] || timeout 1 stat -c 'device=%n %d' -- "$@" 2>/dev/null || true
if grep -q '^evictionHard:' "$settings" 2>/dev/null; then
    echo evictions=own
    sed -n '/^evictionHard:/,/^[^ ]/s/^  *\([A-Za-z.]*\): */eviction=\1 /p' "$settings"
fi

# kubelet's file holds its key, too
certificate() {
    if [ ! -r "$2" ]; then return 0; fi
    echo "certificate=$1 $(sed -n '/^-----BEGIN CERTIFICATE-----/,/^-----END CERTIFICATE-----/p' "$2" | base64 | tr -d '\n')"
}
certificate apiserver "$PKI_FOLDER"/apiserver.crt
certificate kubelet /var/lib/kubelet/pki/kubelet-client-current.pem

# Only a control-plane node has these. The kernel keeps 15 characters of a program's name.
print_pods() {
    if [ ! -s "$PKI_FOLDER"/apiserver.crt ]; then return 0; fi
    programs=$(cat /proc/[0-9]*/comm 2>/dev/null || true)
    for pod in etcd kube-apiserver kube-controller-manager kube-scheduler; do
        if [ ! -e "$manifests/$pod.yaml" ]; then echo "pod=$pod absent"
        elif printf '%s\n' "$programs" | grep -qxF "$(printf %.15s "$pod")"; then echo "pod=$pod running"
        else echo "pod=$pod stopped"; fi
    done
}
pods=$(print_pods)

# kubeadm's etcd answers there without a certificate. On a busy machine a healthy etcd misses a second or two, or its leader is just elected:
# only what it says four times in a row is its word.
try=1
address=$(sed -n 's/^ *- *--listen-metrics-urls=\(http:[^,]*\).*/\1/p' "$manifests"/etcd.yaml 2>/dev/null | head -n 1 || true)
if [ -n "$address" ]; then
    for try in 1 2 3 4; do
        [ "$try" = 1 ] || sleep 1
        code=0
        answer=$(curl -s -m 2 --noproxy '*' "$address/health" 2>/dev/null) || code=$?
        case $code:$answer in
            0:*'"true"'* | 0:*ALARM*) break ;;
            0:* | 7:* | 28:* | 52:* | 56:*) ;;
            # not an answer of etcd: curl itself cannot ask
            *) break ;;
        esac
    done
    case $code in
        0) echo "etcd=$(printf '%s' "$answer" | tr -d '\n')" ;;
        7 | 28 | 52 | 56) echo etcd=silent ;;
    esac
    [ "$code" != 0 ] || curl -s -m 1 --noproxy '*' "$address/metrics" 2>/dev/null |
        sed -n -e 's/^etcd_mvcc_db_total_size_in_bytes /etcdSize=/p' -e 's/^etcd_mvcc_db_total_size_in_use_in_bytes /etcdInUse=/p' \
            -e 's/^etcd_server_quota_backend_bytes /etcdQuota=/p' || true
fi

# on a busy machine a component loses its lease and ends, and kubelet starts it again: it counts as stopped if it is away some seconds later, too
case $pods in
    *stopped*)
        [ "$try" -gt 1 ] || sleep 3
        pods=$(print_pods)
        ;;
esac
[ -z "$pods" ] || printf '%s\n' "$pods"

# While a node moves to another version, its steps say nothing. The last ones may be missing: what is not said is not known.
if [ ! -e "$UPGRADE_FOLDER" ]; then
    # shellcheck disable=SC2153 # an input
    for notes in $NOTES; do
        [ ! -s "$notes" ] || timeout "$NOTES_SECONDS" sh "$notes" </dev/null 2>/dev/null || true
    done
fi
