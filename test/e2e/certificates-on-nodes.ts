import type { Lab } from "../../lab";

const served = (address: string) =>
    `openssl s_client -connect ${address} </dev/null 2>/dev/null | openssl x509 -noout -enddate -fingerprint -sha256 | tr '\n' ' '`;
/** Where a control-plane node serves certificates: the arguments of `openssl s_client`. */
const ports = (address: string) => ({
    "kube-apiserver": `${address}:6443`,
    etcd: "127.0.0.1:2379",
    "kube-controller-manager": "127.0.0.1:10257",
    "kube-scheduler": "127.0.0.1:10259",
    kubelet: "127.0.0.1:10250",
});

/** Component → end and fingerprint of the certificate that it serves. */
export async function servedCertificates(lab: Lab, node: string): Promise<Record<string, string>> {
    const asked = Object.entries(ports(lab.node(node).address)).map(async ([component, address]) => {
        const { stdout } = await lab.ssh(node, served(address));
        return [component, stdout.trim()] as const;
    });
    return Object.fromEntries(await Promise.all(asked));
}

/** File → end of the certificate in it. */
export async function endsOnDisk(lab: Lab, node: string): Promise<Record<string, Date>> {
    const script =
        "for f in /etc/kubernetes/pki/apiserver*.crt /etc/kubernetes/pki/front-proxy-client.crt /etc/kubernetes/pki/etcd/[!c]*.crt /var/lib/kubelet/pki/kubelet.crt /var/lib/kubelet/pki/kubelet-client-current.pem; do " +
        'if [ -e "$f" ]; then echo "$f $(openssl x509 -noout -enddate -in "$f")"; fi; done; ' +
        "for f in /etc/kubernetes/admin.conf /etc/kubernetes/controller-manager.conf /etc/kubernetes/scheduler.conf; do " +
        `if [ -e "$f" ]; then echo "$f $(sed -n 's/^ *client-certificate-data: *//p' $f | base64 -d | openssl x509 -noout -enddate)"; fi; done`;
    const lines = (await lab.mustSsh(node, script)).trim().split("\n");
    return Object.fromEntries(
        lines.map(line => {
            const [file = "", end = ""] = line.split(" notAfter=");
            return [file, new Date(end)];
        }),
    );
}

/** kubelet starts them again, if it runs. */
const endStaticPods = "pkill -x etcd; sleep 5; pkill -f '^kube-(apiserver|controller-manager|scheduler)( |$)'";

/** kubeadm issues a control-plane node's certificates again, valid for this time ("984h"), and what runs restarts with them. */
export async function issueFor(lab: Lab, node: string, validity: string, { restart = true } = {}): Promise<void> {
    const made =
        "umask 077; sed '/^certificateValidityPeriod/d; s/^kind: ClusterConfiguration$/&\\ncertificateValidityPeriod: " +
        `${validity}/' /etc/kubernetes/pulumi-nfv/cluster.yaml >/run/short.yaml; kubeadm certs renew all --config /run/short.yaml >/dev/null; rm /run/short.yaml`;
    await lab.mustSsh(node, restart ? `${made}; ${endStaticPods}; true` : made);
}
