#!/bin/bash
# What a good engineer writes by hand: an HA kubeadm cluster on machines whose image has everything, with what can run
# at once running at once. Runs where the machines are reachable.
#   MASTERS="m1=ADDR m2=ADDR …" WORKERS="w1=ADDR …" VIP=ADDR KEY=FILE WORK=FOLDER VERSION=1.36.3 NETWORK=FILE KUBECTL=FILE by-hand.sh [out NODE | in NODE | heal NODE]
# Later with the same variables: "out" takes a worker out, "in" brings it in again, "heal" resets a master and joins it again.
set -eu
: "${MASTERS:?}" "${WORKERS?}" "${VIP:?}" "${KEY:?}" "${WORK:?}" "${VERSION:?}" "${NETWORK:?}" "${KUBECTL:?}"
PORT=16443
began=$(date +%s%N)
say() { printf '%6.1f s  %s\n' "$((($(date +%s%N) - began) / 1000000))e-3" "$1"; }
on() {
    local address=$1
    shift
    ssh -i "$KEY" -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR \
        -o ControlMaster=auto -o ControlPath="$WORK/ssh-%h" -o ControlPersist=60 "root@$address" "$@"
}
trap 'for n in $MASTERS $WORKERS; do on ${n#*=} -O exit 2>/dev/null || true; done' EXIT

authority() {
    openssl ecparam -name prime256v1 -genkey -noout -out "$WORK/pki/$1.key"
    openssl req -x509 -new -key "$WORK/pki/$1.key" -days 3650 -subj "/CN=$2" -out "$WORK/pki/$1.crt" \
        -addext keyUsage=critical,digitalSignature,keyEncipherment,keyCertSign -addext "subjectAltName=DNS:$2"
}
haproxy_config() {
    cat <<C
global
    log /dev/log local0
    stats socket /run/haproxy/admin.sock mode 660 level admin
    user haproxy
    group haproxy
defaults
    mode tcp
    timeout connect 1s
    timeout check 1s
    option redispatch 1
    retries 3
    timeout client 4h
    timeout server 4h
frontend api
    bind *:$PORT
    default_backend masters
backend masters
    option httpchk GET /readyz
    default-server check check-ssl verify none inter 1s fastinter 500ms downinter 2s fall 2 rise 2
C
    for n in $MASTERS; do echo "    server ${n%=*} ${n#*=}:6443"; done
}
keepalived_config() { # own address, priority
    cat <<C
global_defs {
    vrrp_version 3
    enable_script_security
    script_user root
    vrrp_garp_master_refresh 1
}
vrrp_script haproxy {
    script "/usr/bin/killall -0 haproxy"
    interval 1
    fall 2
    rise 2
}
vrrp_instance api {
    state BACKUP
    nopreempt
    interface eth0
    virtual_router_id 51
    priority $2
    advert_int 0.2
    unicast_src_ip $1
    unicast_peer {
$(for n in $MASTERS; do [ "${n#*=}" = "$1" ] || echo "        ${n#*=}"; done)
    }
    virtual_ipaddress {
        $VIP/24
    }
    track_script {
        haproxy
    }
}
C
}
registration() { # name, address
    cat <<C
nodeRegistration:
  name: $1
  criSocket: unix:///run/containerd/containerd.sock
  kubeletExtraArgs: [{name: node-ip, value: $2}]
C
}
init_config() {
    cat <<C
apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
bootstrapTokens: [{token: $token, ttl: 2h0m0s, usages: [signing, authentication], groups: ["system:bootstrappers:kubeadm:default-node-token"]}]
localAPIEndpoint: {advertiseAddress: $2, bindPort: 6443}
$(registration "$1" "$2")
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
kubernetesVersion: v$VERSION
controlPlaneEndpoint: $VIP:$PORT
networking: {podSubnet: 10.244.0.0/16, serviceSubnet: 10.96.0.0/12, dnsDomain: cluster.local}
---
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cgroupDriver: systemd
imageGCHighThresholdPercent: 100
evictionHard: {nodefs.available: "0%", nodefs.inodesFree: "0%", imagefs.available: "0%"}
---
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: iptables
conntrack: {maxPerCore: 0, min: 0}
C
}
join_config() { # name, address, [control]
    cat <<C
apiVersion: kubeadm.k8s.io/v1beta4
kind: JoinConfiguration
discovery: {bootstrapToken: {apiServerEndpoint: "$VIP:$PORT", token: $token, caCertHashes: ["sha256:$hash"]}}
$(registration "$1" "$2")
C
    [ -z "${3:-}" ] || echo "controlPlane: {localAPIEndpoint: {advertiseAddress: $2, bindPort: 6443}}"
}

containerd_config() {
    cat <<'C'
version = 2
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "registry.k8s.io/pause:3.10.2"
  restrict_oom_score_adj = true
  tolerate_missing_hugetlb_controller = true
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/opt/cni/bin"
    conf_dir = "/etc/cni/net.d"
C
}
prepare() { # every machine
    # shellcheck disable=SC2016 # expanded on the machine
    containerd_config | on "$1" 'cat >/etc/containerd/config.toml; systemctl enable -q containerd; systemctl restart containerd; for i in $(seq 100); do ctr version >/dev/null 2>&1 && break; sleep 0.1; done; printf "net.ipv4.ip_forward=1\nnet.bridge.bridge-nf-call-iptables=1\n" >/etc/sysctl.d/90-k8s.conf; sysctl -q --system'
}
balance() { # every master: keys, HAProxy, keepalived
    tar -C "$WORK/pki" -cf - . | on "$1" 'mkdir -p /etc/kubernetes/pki && tar -C /etc/kubernetes/pki -xf -'
    haproxy_config | on "$1" 'cat >/etc/haproxy/haproxy.cfg; systemctl enable -q haproxy; systemctl restart haproxy'
    keepalived_config "$1" "$2" | on "$1" 'cat >/etc/keepalived/keepalived.conf; chmod 644 /etc/keepalived/keepalived.conf; systemctl enable -q keepalived; systemctl restart keepalived'
}
join() { join_config "$@" | on "$2" 'cat >/root/kubeadm.yaml; kubeadm join --config /root/kubeadm.yaml' >"$WORK/join-$1.log" 2>&1; }
k() { "$KUBECTL" --kubeconfig "$WORK/admin.conf" "$@"; }

address_of() { for n in $MASTERS $WORKERS; do [ "${n%=*}" != "$1" ] || echo "${n#*=}"; done; }
is_master() { case " $MASTERS " in *" $1="*) ;; *) return 1 ;; esac; }
leave() { # name: drained, out of etcd by kubeadm itself, and as it was before
    local address
    address=$(address_of "$1")
    k drain "$1" --ignore-daemonsets --delete-emptydir-data --force --timeout=120s >"$WORK/leave-$1.log" 2>&1
    # shellcheck disable=SC2016 # expanded on the machine
    on "$address" 'kubeadm reset -f && rm -rf /etc/cni/net.d/* /etc/kubernetes/pki && for link in cni0 flannel.1; do ip link delete $link 2>/dev/null || true; done; iptables-save | grep -Ev "KUBE-|CNI-" | iptables-restore' >>"$WORK/leave-$1.log" 2>&1
    k delete node "$1" >/dev/null
}
enter() { # name, a master that is there
    local address
    address=$(address_of "$1")
    token=$(on "$(address_of "$2")" kubeadm token create --ttl 20m)
    prepare "$address"
    if is_master "$1"; then
        tar -C "$WORK/pki" -cf - . | on "$address" 'mkdir -p /etc/kubernetes/pki && tar -C /etc/kubernetes/pki -xf -'
        join "$1" "$address" control
    else
        join "$1" "$address"
    fi
    k wait --for=condition=Ready "node/$1" --timeout=300s >/dev/null
}
hash_of() { openssl x509 -pubkey -in "$WORK/pki/ca.crt" -noout | openssl pkey -pubin -outform der | sha256sum | cut -d' ' -f1; }
first=${MASTERS%%=*}
case ${1:-build} in
    out)
        leave "$2"
        say "$2 is out"
        exit
        ;;
    in)
        hash=$(hash_of)
        enter "$2" "$first"
        say "$2 is Ready"
        exit
        ;;
    heal)
        hash=$(hash_of)
        leave "$2"
        say "$2 is out"
        enter "$2" "$first"
        say "$2 is Ready"
        exit
        ;;
esac

mkdir -p "$WORK/pki/etcd"
authority ca kubernetes 2>/dev/null
authority etcd/ca etcd-ca 2>/dev/null
authority front-proxy-ca front-proxy-ca 2>/dev/null
openssl genrsa -out "$WORK/pki/sa.key" 2048 2>/dev/null
openssl rsa -in "$WORK/pki/sa.key" -pubout -out "$WORK/pki/sa.pub" 2>/dev/null
hash=$(hash_of)
token=$(openssl rand -hex 3).$(openssl rand -hex 8)
say "keys made"

for n in $MASTERS $WORKERS; do prepare "${n#*=}" & done
wait
priority=103
for n in $MASTERS; do
    balance "${n#*=}" $priority &
    priority=$((priority - 1))
done
wait
say "machines prepared, HAProxy and keepalived running"
# shellcheck disable=SC2086 # a list of names
set -- $MASTERS
init_config "${1%=*}" "${1#*=}" | on "${1#*=}" 'cat >/root/kubeadm.yaml; kubeadm init --config /root/kubeadm.yaml --skip-token-print' >"$WORK/init.log" 2>&1
on "${1#*=}" cat /etc/kubernetes/admin.conf >"$WORK/admin.conf"
say "kubeadm init ${1%=*}"
k apply -f "$NETWORK" >/dev/null
shift
for n in "$@"; do
    join "${n%=*}" "${n#*=}" control
    say "joined master ${n%=*}"
done
for n in $WORKERS; do join "${n%=*}" "${n#*=}" & done
wait
say "joined the workers"
k wait --for=condition=Ready node --all --timeout=300s >/dev/null
say "all nodes Ready"
k -n kube-system rollout status deploy/coredns --timeout=300s >/dev/null
say "CoreDNS available"
