#!/bin/sh
# due-certificates.sh: due_certificates prints a line for each certificate of this machine that is to be renewed, and for each static pod that runs
# with a former one. Certificates that a user gave and authorities do not count, and kubelet's client certificate only if kubelet has not renewed it in time.
# inputs: ADDRESS RENEW_BEFORE (seconds) ROLE
# constants: KUBERNETES_FOLDER PKI_FOLDER

. member/lib/other-process.sh

require_openssl() {
    command -v openssl >/dev/null && return 0
    echo "the ends of certificates cannot be read, because openssl is missing on this machine: install it, then run pulumi up again" >&2
    exit 1
}
kubelet_pki=/var/lib/kubelet/pki
kubelet_client=$kubelet_pki/kubelet-client-current.pem

# what kubeadm renews, if it is there
kubeadm_certificates() {
    for name in apiserver apiserver-etcd-client apiserver-kubelet-client front-proxy-client etcd/server etcd/peer etcd/healthcheck-client; do
        if [ -e "$PKI_FOLDER/$name.crt" ]; then echo "$PKI_FOLDER/$name.crt"; fi
    done
    for name in admin super-admin controller-manager scheduler; do
        if grep -q '^ *client-certificate-data:' "$KUBERNETES_FOLDER/$name.conf" 2>/dev/null; then echo "$KUBERNETES_FOLDER/$name.conf"; fi
    done
}
certificate_in() {
    case $1 in
        *.conf) sed -n 's/^ *client-certificate-data: *//p' "$1" | head -n 1 | base64 -d ;;
        *) cat "$1" ;;
    esac
}
# FILE SECONDS
ends_within() { ! certificate_in "$1" 2>/dev/null | openssl x509 -noout -checkend "$2" >/dev/null 2>&1; }
end_of() { certificate_in "$1" 2>/dev/null | openssl x509 -noout -enddate 2>/dev/null | sed 's/^notAfter=//'; }
# A machine that lost power while they were written has a key of one certificate and the text of another
has_its_key() {
    case $1 in *.conf) return 0 ;; esac
    key=${1%.crt}.key
    [ ! -e "$key" ] || [ "$(openssl x509 -noout -pubkey -in "$1" 2>/dev/null)" = "$(openssl pkey -pubout -in "$key" 2>/dev/null)" ]
}

# those that a static pod reads at its start only
certificates_of() {
    case $1 in
        etcd) echo "$PKI_FOLDER/etcd/server.crt $PKI_FOLDER/etcd/peer.crt" ;;
        kube-apiserver) echo "$PKI_FOLDER/apiserver-etcd-client.crt $PKI_FOLDER/apiserver-kubelet-client.crt $PKI_FOLDER/front-proxy-client.crt" ;;
        kube-controller-manager) echo "$KUBERNETES_FOLDER/controller-manager.conf" ;;
        kube-scheduler) echo "$KUBERNETES_FOLDER/scheduler.conf" ;;
    esac
}
served_at() { timeout 5 openssl s_client -connect "$1" </dev/null 2>/dev/null | openssl x509 -noout -fingerprint -sha256 2>/dev/null || true; }
serves_another() {
    case $1 in
        etcd) file=$PKI_FOLDER/etcd/server.crt served=$(served_at 127.0.0.1:2379) ;;
        kube-apiserver)
            file=$PKI_FOLDER/apiserver.crt
            grep -qF -e "--tls-cert-file=$file" "$KUBERNETES_FOLDER"/manifests/kube-apiserver.yaml 2>/dev/null || return 1
            served=$(served_at "$ADDRESS:6443")
            ;;
        *) return 1 ;;
    esac
    [ -n "$served" ] && [ "$served" != "$(openssl x509 -noout -fingerprint -sha256 -in "$file" 2>/dev/null)" ]
}
runs_with_former_certificate() {
    pid=$(process_of "$1")
    if [ -z "$pid" ]; then return 1; fi
    seconds=$(ps -o etimes= -p "$pid" 2>/dev/null) || return 1
    born=$(($(date +%s) - seconds))
    for read_at_start in $(certificates_of "$1"); do
        if [ -e "$read_at_start" ] && [ "$(stat -c %Y "$read_at_start")" -gt "$born" ]; then return 0; fi
    done
    serves_another "$1"
}

# kubelet's own certificates hold for a year, whatever the others do
own_limit() { if [ "$RENEW_BEFORE" -lt 7776000 ]; then echo "$RENEW_BEFORE"; else echo 7776000; fi; }
kubelet_client_ended() { ends_within "$kubelet_client" 0; }
# kubelet renews it after 70 to 90 % of its life
kubelet_client_is_overdue() {
    if kubelet_client_ended; then return 0; fi
    from=$(date -d "$(openssl x509 -noout -startdate -in "$kubelet_client" | sed 's/^notBefore=//')" +%s)
    to=$(date -d "$(openssl x509 -noout -enddate -in "$kubelet_client" | sed 's/^notAfter=//')" +%s)
    [ "$(date +%s)" -ge $((from + (to - from) * 9 / 10)) ]
}
kubelet_serving_is_due() {
    [ ! -e "$kubelet_pki/kubelet-server-current.pem" ] && [ -e "$kubelet_pki/kubelet.crt" ] && ends_within "$kubelet_pki/kubelet.crt" "$(own_limit)"
}

due_kubeadm_certificates() {
    kubeadm_certificates | while IFS= read -r file; do
        if ends_within "$file" "$RENEW_BEFORE"; then echo "$file ends on $(end_of "$file")"
        elif ! has_its_key "$file"; then echo "$file does not belong to its key"; fi
    done
}
due_certificates() {
    if kubelet_client_is_overdue; then echo "$kubelet_client ends on $(end_of "$kubelet_client"): kubelet has not renewed it"; fi
    if kubelet_serving_is_due; then echo "$kubelet_pki/kubelet.crt ends on $(end_of "$kubelet_pki/kubelet.crt")"; fi
    [ "$ROLE" = controlPlane ] || return 0
    due_kubeadm_certificates
    for component in etcd kube-apiserver kube-controller-manager kube-scheduler; do
        if runs_with_former_certificate "$component"; then echo "$component runs with a former certificate"; fi
    done
}
require_none_due() {
    left=$(due_certificates)
    [ -n "$left" ] || return 0
    printf 'not renewed:\n%s\n' "$left" >&2
    exit 1
}
