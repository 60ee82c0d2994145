import type { Lab } from "../../lab";

/**
 * Shell functions. `sign CERTIFICATE KEY AUTHORITY AUTHORITY-KEY` prints that certificate with another end; `end_pair` writes it back into its file,
 * `end_config` into a kubeconfig, `end_pem` into a file that has certificate and key.
 */
const functions = (seconds: number) => `
set -eu
pki=/etc/kubernetes/pki kubelet=/var/lib/kubelet/pki
work=$(mktemp -d -p /run)
trap 'rm -rf "$work"' EXIT
: >$work/index
cat >$work/settings <<END
[ca]
default_ca = here
[here]
new_certs_dir = $work
database = $work/index
rand_serial = yes
default_md = sha256
policy = any
copy_extensions = copyall
unique_subject = no
[any]
organizationName = optional
commonName = optional
END
sign() {
    openssl x509 -x509toreq -in "$1" -signkey "$2" -copy_extensions copyall -out $work/request 2>/dev/null
    openssl ca -config $work/settings -batch -notext -preserveDN -in $work/request -cert "$3" -keyfile "$4" -out $work/signed \\
        -startdate "$(date -u -d '-1 year' +%Y%m%d%H%M%SZ)" -enddate "$(date -u -d '${seconds} seconds' +%Y%m%d%H%M%SZ)" 2>$work/said || { cat $work/said >&2; exit 1; }
    cat $work/signed
}
end_pair() { sign "$1.crt" "$1.key" "$2.crt" "$2.key" >$work/ended; cat $work/ended >"$1.crt"; }
end_pem() { sign "$1" "$1" "$2.crt" "$2.key" >$work/ended; openssl pkey -in "$1" >>$work/ended; cat $work/ended >"$1"; }
end_config() {
    sed -n 's/^ *client-certificate-data: *//p' "$1" | base64 -d >$work/c.crt
    sed -n 's/^ *client-key-data: *//p' "$1" | base64 -d >$work/c.key
    sign $work/c.crt $work/c.key $pki/ca.crt $pki/ca.key | base64 -w0 >$work/ended
    sed -i "s|^\\( *client-certificate-data: \\).*|\\1$(cat $work/ended)|" "$1"
}
`;

const ofControlPlane = `
for name in apiserver apiserver-kubelet-client; do end_pair $pki/$name $pki/ca; done
end_pair $pki/front-proxy-client $pki/front-proxy-ca
for name in apiserver-etcd-client etcd/server etcd/peer etcd/healthcheck-client; do end_pair $pki/$name $pki/etcd/ca; done
for name in admin super-admin controller-manager scheduler; do
    if [ -e /etc/kubernetes/$name.conf ]; then end_config /etc/kubernetes/$name.conf; fi
done
`;

/** The authority may be here for a moment only: a worker has no key of it. */
const ofKubelet = (authority: string) => `
end_pem "$(readlink -f $kubelet/kubelet-client-current.pem)" ${authority}
end_pair $kubelet/kubelet $kubelet/kubelet
`;

/**
 * Every certificate of these nodes that `up` renews, and kubelet's client certificate, ends so many seconds from now, in the past if negative. They keep
 * their keys, names and authorities. What runs is not restarted.
 */
export async function endCertificates(
    lab: Lab,
    { masters, workers }: Record<"masters" | "workers", string[]>,
    seconds: number,
) {
    const authority = await lab.mustSsh(masters[0]!, "base64 -w0 /etc/kubernetes/pki/ca.key");
    const place = `echo ${authority} | base64 -d >$work/ca.key; cp $pki/ca.crt $work/ca.crt`;
    await Promise.all([
        ...masters.map(node => lab.mustSsh(node, functions(seconds) + ofControlPlane + ofKubelet("$pki/ca"))),
        ...workers.map(node => lab.mustSsh(node, `${functions(seconds)}umask 077\n${place}\n${ofKubelet("$work/ca")}`)),
    ]);
}
