/** A change that a person makes by hand, and how a refresh calls it. */
export interface ManualChange {
    /** Node; "cluster": through kubectl. */
    on: string;
    /** Shell on the node, or arguments of kubectl, which has no shell. */
    by: string | string[];
    /** Title of the step that is found changed. */
    title: string;
    /** The line that says what differs. */
    line: RegExp;
}

const manifests = "/etc/kubernetes/manifests";
const ours = "/etc/kubernetes/pulumi-nfv";
/** A further flag, below the program's name. */
const withFlag = (component: string, flag: string) =>
    `sed -i 's/^    - ${component}$/&\\n    - ${flag}/' ${manifests}/${component}.yaml`;
const patch = (kind: string, name: string, type: string, text: object): string[] => [
    ...["-n", "kube-system", "patch", kind, name, `--type=${type}`, "-p", JSON.stringify(text)],
];

/** On a control-plane node m1 and two workers w1, w2. None of them keeps the API or the network from working. */
export const manualChanges: readonly ManualChange[] = [
    {
        on: "w1",
        by: "sysctl -qw net.bridge.bridge-nf-call-ip6tables=0",
        title: "set kernel parameters",
        line: /^net\.bridge\.bridge-nf-call-ip6tables is 0, it was set to 1$/,
    },
    {
        on: "w2",
        by: "echo 'net.ipv4.ip_forward = 0' >> /etc/sysctl.d/90-pulumi-nfv.conf",
        title: "set kernel parameters",
        line: /^\/etc\/sysctl\.d\/\S+ has changed$/,
    },
    { on: "w1", by: "rm /etc/modules-load.d/pulumi-nfv.conf", title: "load kernel modules", line: /is gone$/ },
    {
        on: "w1",
        by: "sed -i '/^# pulumi-nfv begin$/a 10.9.9.9 elsewhere' /etc/hosts",
        title: "write names to /etc/hosts",
        line: /our lines in \/etc\/hosts have changed/,
    },
    {
        on: "w2",
        by: "hostname another; echo another > /etc/hostname",
        title: "set the host name",
        line: /not done any more/,
    },
    {
        on: "w1",
        by: "echo '/dev/none none swap sw 0 0' >> /etc/fstab",
        title: "turn swap off",
        line: /not done any more/,
    },
    {
        on: "w1",
        by: "echo '# by hand' >> /etc/containerd/config.toml",
        title: "configure the container runtime",
        line: /config\.toml has changed$/,
    },
    {
        on: "w2",
        by: "systemctl disable -q containerd",
        title: "check the container runtime",
        line: /containerd\.service is not started at boot/,
    },
    {
        on: "w1",
        by: "echo '# by hand' >> /etc/containerd/certs.d/registry.example/hosts.toml",
        title: "configure registry mirrors",
        line: /hosts\.toml has changed$/,
    },
    {
        on: "w2",
        by: "chmod 644 /etc/containerd/certs.d/registry.example/hosts.toml",
        title: "configure registry mirrors",
        line: /hosts\.toml is 644 root:root, it was made 600 root:root$/,
    },
    { on: "w1", by: "rm /opt/cni/bin/vlan", title: "link network plugins", line: /\/opt\/cni\/bin\/vlan is gone/ },
    {
        on: "w1",
        by: "systemctl disable -q kubelet",
        title: "install kubelet's service",
        line: /kubelet\.service is not started at boot/,
    },
    {
        on: "w1",
        by: "nft delete table inet pulumi-nfv-vrrp",
        title: "keep pods from taking the virtual address",
        line: /nftables does not have our table/,
    },
    {
        on: "w2",
        by: "systemctl disable -q pulumi-nfv-virtual-address",
        title: "keep pods from taking the virtual address",
        line: /is not started at boot/,
    },
    {
        on: "w1",
        by: "rm /usr/local/share/ca-certificates/pulumi-nfv-1.crt",
        title: "trust certificate authorities",
        line: /pulumi-nfv-1\.crt has changed/,
    },
    {
        on: "w2",
        by: "chmod 644 /etc/pulumi-nfv/proxy.env",
        title: "configure the HTTP proxy",
        line: /proxy\.env is 644/,
    },
    {
        on: "m1",
        by: "echo '# by hand' >> /etc/haproxy/haproxy.cfg",
        title: "configure HAProxy",
        line: /haproxy\.cfg has changed$/,
    },
    {
        on: "m1",
        by: "SYSTEMCTL_SKIP_SYSV=1 systemctl disable -q haproxy",
        title: "configure HAProxy",
        line: /haproxy\.service is not started at boot/,
    },
    {
        on: "m1",
        by: "sed -i 's/advert_int .*/advert_int 2/' /etc/keepalived/keepalived.conf",
        title: "configure keepalived",
        line: /keepalived\.conf has changed$/,
    },
    {
        on: "m1",
        by: "chmod 700 /usr/local/lib/pulumi-nfv/check-haproxy",
        title: "configure keepalived",
        line: /is 700 root:root, it was made 755/,
    },
    {
        on: "m1",
        by: withFlag("kube-scheduler", "--v=3"),
        title: "apply control-plane settings",
        line: /kube-scheduler\.yaml has changed$/,
    },
    {
        on: "m1",
        by: withFlag("kube-apiserver", "--v=3"),
        title: "apply control-plane settings",
        line: /kube-apiserver\.yaml has changed$/,
    },
    {
        on: "m1",
        by: withFlag("etcd", "--snapshot-count=20000"),
        title: "apply control-plane settings",
        line: /etcd\.yaml has changed$/,
    },
    {
        on: "m1",
        by: `mv ${manifests}/kube-controller-manager.yaml /root/`,
        title: "apply control-plane settings",
        line: /kube-controller-manager\.yaml is gone$/,
    },
    {
        on: "m1",
        by: `echo '# by hand' >> ${ours}/kube-apiserver/audit-policy.yaml`,
        title: "place audit policy and encryption settings",
        line: /audit-policy\.yaml has changed$/,
    },
    {
        on: "m1",
        by: `chmod 644 ${ours}/kube-apiserver/encryption.yaml`,
        title: "place audit policy and encryption settings",
        line: /encryption\.yaml is 644/,
    },
    {
        on: "m1",
        by: `echo '# by hand' >> ${ours}/cluster.yaml`,
        title: "write kubeadm's configuration",
        line: /cluster\.yaml has changed$/,
    },
    {
        on: "w1",
        by: `echo '{}' > ${ours}/patches/kubeletconfiguration5+merge.yaml`,
        title: "write kubeadm's configuration",
        line: /is not one of our patches$/,
    },
    {
        on: "m1",
        by: "rm /etc/kubernetes/pki/front-proxy-ca.key",
        title: "place the cluster's keys",
        line: /front-proxy-ca\.key is gone$/,
    },
    { on: "m1", by: "chmod 600 /etc/kubernetes/pki/ca.crt", title: "place the cluster's keys", line: /ca\.crt is 600/ },
    {
        on: "w2",
        by: "sed -i 's/^maxPods:.*//; $ a maxPods: 77' /var/lib/kubelet/config.yaml",
        title: "apply kubelet settings",
        line: /config\.yaml has changed$/,
    },
    {
        on: "w1",
        by: `sed -i 's/"$/ --v=3"/' /var/lib/kubelet/kubeadm-flags.env`,
        title: "apply kubelet settings",
        line: /kubeadm-flags\.env has changed$/,
    },
    {
        on: "w1",
        by: ["label", "node", "w1", "tier-"],
        title: "set labels and taints",
        line: /the node does not have "tier":"packet-core"/,
    },
    {
        on: "m1",
        by: ["taint", "node", "m1", "node-role.kubernetes.io/control-plane-"],
        title: "set labels and taints",
        line: /does not have .*NoSchedule/,
    },
    {
        on: "w2",
        by: ["annotate", "node", "w2", "pulumi-nfv.dev/labels-"],
        title: "set labels and taints",
        line: /does not have "pulumi-nfv\.dev\/labels"/,
    },
    {
        on: "cluster",
        by: patch("configmap", "kube-proxy", "merge", {
            data: {
                "config.conf":
                    "kind: KubeProxyConfiguration\napiVersion: kubeproxy.config.k8s.io/v1alpha1\nmode: iptables\n",
            },
        }),
        title: "apply kube-proxy",
        line: /ConfigMap\.kube-system\.kube-proxy is not as/,
    },
    {
        on: "cluster",
        by: patch("daemonset", "kube-proxy", "json", [
            { op: "replace", path: "/spec/template/spec/priorityClassName", value: "system-cluster-critical" },
        ]),
        title: "apply kube-proxy",
        line: /DaemonSet\.kube-system\.kube-proxy is not as/,
    },
    {
        on: "cluster",
        by: patch("service", "kube-dns", "merge", { spec: { selector: { "k8s-app": "other-dns" } } }),
        title: "apply CoreDNS",
        line: /Service\.kube-system\.kube-dns is not as/,
    },
    {
        on: "cluster",
        by: ["delete", "clusterrolebinding", "system:coredns"],
        title: "apply CoreDNS",
        line: /ClusterRoleBinding\.\.system:coredns is not as/,
    },
    {
        on: "cluster",
        by: patch("deployment", "coredns", "json", [
            {
                op: "remove",
                path: "/spec/template/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution",
            },
        ]),
        title: "keep CoreDNS's replicas apart",
        line: /CoreDNS may put its replicas on one node/,
    },
    {
        on: "cluster",
        by: patch("daemonset", "podnet", "json", [
            { op: "replace", path: "/spec/template/spec/terminationGracePeriodSeconds", value: 7 },
        ]),
        title: "apply the pod network",
        line: /DaemonSet\.\S*podnet is not as/,
    },
    {
        on: "cluster",
        by: [
            "patch",
            "validatingadmissionpolicy",
            "pulumi-nfv-virtual-address",
            "--type=merge",
            "-p",
            '{"spec":{"failurePolicy":"Ignore"}}',
        ],
        title: "keep Services from taking the virtual address",
        line: /ValidatingAdmissionPolicy\S* is not as/,
    },
    {
        on: "cluster",
        by: [
            "patch",
            "validatingadmissionpolicybinding",
            "pulumi-nfv-pods",
            "--type=merge",
            "-p",
            '{"spec":{"validationActions":["Audit"]}}',
        ],
        title: "hold tenants back to their namespaces",
        line: /ValidatingAdmissionPolicyBinding\S* is not as/,
    },
];
