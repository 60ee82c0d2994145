#!/bin/sh
# print-left-overs.sh: prints what another cluster has left on this machine that `kubeadm reset` does not take away, as lines name=value.
# Nothing on a machine that is noted as ours, or has lost our notes and not our files: what is there came with our cluster.
# constants: PREPARED_FILE STATE_FOLDER

. kubeadm/lib/of-podman.sh

. kubeadm/lib/cni-of-others.sh

. kubeadm/lib/cluster-links.sh

left() { if [ -e "$1" ]; then echo "software=$1"; fi; }
left_overs() {
    # the container runtime takes the first configuration by name, whoever wrote it
    for file in /etc/cni/net.d/*.conf /etc/cni/net.d/*.conflist /etc/cni/net.d/*.json /etc/cni/net.d/*kubeconfig; do
        [ -e "$file" ] || continue
        if is_of_podman "${file##*/}" || grep -sqE '"name" *: *"podnet"' "$file"; then continue; fi
        # every runtime has this one
        if [ "$(grep -ohE '"type" *: *"[^"]*"' "$file" | sort -u | tr -d ' ')" = '"type":"loopback"' ]; then continue; fi
        left "$file"
    done
    networks=$(others_networks)
    for entry in /var/lib/cni/networks/* /var/lib/cni/results/* /var/lib/cni/flannel; do
        for network in $networks; do
            case ${entry##*/} in "$network" | "$network"-*) continue 2 ;; esac
        done
        left "$entry"
    done
    for file in /etc/kubernetes/*.conf /etc/kubernetes/pki/* /var/lib/kubelet/config.yaml /var/lib/kubelet/pods/* /var/lib/kubelet/*_manager_state /var/lib/etcd/*; do
        # of a file system of its own
        [ "${file##*/}" = lost+found ] || left "$file"
    done
    # it hides the unit of a package
    [ ! -e /etc/systemd/system/kubelet.service ] || echo "softwareUnit=/etc/systemd/system/kubelet.service"
    for link in $(cluster_links); do is_bridge_of_others "$link" || echo "software=link $link"; done
    for tables in iptables ip6tables; do
        command -v $tables-save >/dev/null || continue
        chains=$({ $tables-save 2>/dev/null || true; } | sed -nE 's/^:((KUBE-|cali-|CILIUM_|FLANNEL-|WEAVE)[^ ]*).*/\1/p' | sort -u | head -n 3 | tr '\n' ' ')
        [ -z "$chains" ] || echo "software=rules of $tables: chains ${chains}and the like"
    done
    cluster_tables | sed 's/^/software=nftables table /'
    if command -v ctr >/dev/null; then
        count=$({ timeout 5 ctr -n k8s.io containers list -q 2>/dev/null || true; } | wc -l)
        [ "$count" = 0 ] || echo "software=$count containers in containerd's namespace k8s.io"
    fi
}
[ -s "$STATE_FOLDER"/cluster ] || [ -e "$PREPARED_FILE" ] || left_overs
