#!/bin/sh
# renew-worker-certificates.sh: renews kubelet's certificates that it does not renew itself.

. shell/lib/usual-path.sh

. member/lib/due-certificates.sh

. member/lib/kubelet-certificates.sh

. member/lib/ask-for-kubelet-client.sh

require_openssl
renew_kubelet_certificates
require_none_due
