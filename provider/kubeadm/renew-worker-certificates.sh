#!/bin/sh
# renew-worker-certificates.sh: renews kubelet's certificates that it does not renew itself.

. shell/lib/usual-path.sh

. kubeadm/lib/due-certificates.sh

. kubeadm/lib/kubelet-certificates.sh

. kubeadm/lib/ask-for-kubelet-client.sh

require_openssl
renew_kubelet_certificates
require_none_due
