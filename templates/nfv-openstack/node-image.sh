#!/bin/sh
# node-image.sh VERSION [REPOSITORY]: makes the server on which it runs (Debian, Ubuntu) the image of a node: Kubernetes, containerd and all container images are
# in it, and nothing that must differ between servers. As root; VERSION like 1.36.3. Default of REPOSITORY: the Kubernetes community's. See docs/openstack.md.
set -eu
version=${1:?a version of Kubernetes like 1.36.3}
minor=${version%.*}
repository=${2:-https://pkgs.k8s.io/core:/stable:/v$minor/deb}
export DEBIAN_FRONTEND=noninteractive

apt-get update -q
apt-get install -qy --no-install-recommends ca-certificates curl gpg
install -d -m 755 /etc/apt/keyrings
curl -fsSL "$repository/Release.key" | gpg --batch --yes --dearmor -o /etc/apt/keyrings/kubernetes.gpg
echo "deb [signed-by=/etc/apt/keyrings/kubernetes.gpg] $repository/ /" >/etc/apt/sources.list.d/kubernetes.list
apt-get update -q
# Nothing starts now: a node's services begin when pulumi up has given them their settings.
printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
chmod 755 /usr/sbin/policy-rc.d
apt-get install -qy --no-install-recommends containerd runc nftables haproxy keepalived conntrack ethtool socat \
    "kubelet=$version-*" "kubeadm=$version-*" "kubectl=$version-*" kubernetes-cni cri-tools
apt-mark hold kubelet kubeadm kubectl
rm /usr/sbin/policy-rc.d
systemctl disable -q haproxy keepalived

systemctl start containerd
kubeadm config images pull --kubernetes-version "$version" --cri-socket unix:///run/containerd/containerd.sock
systemctl stop containerd

# Each server makes these anew at its first boot.
rm -f /etc/ssh/ssh_host_*
cloud-init clean --logs
: >/etc/machine-id
apt-get clean
sync
