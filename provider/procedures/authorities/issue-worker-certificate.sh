#!/bin/sh
# issue-worker-certificate.sh: kubelet of this worker gets a client certificate of the next authority, with the bridge by which API servers take it that trust the
# former one. Does nothing where that is done.
# inputs: CA_NAME
# secrets: authorities kubelet (the client certificate, the bridge and the key)
# constants: PKI_FOLDER ROTATION_FAILED

. shell/lib/usual-path.sh

. member/lib/due-certificates.sh

. member/lib/kubelet-certificates.sh

. procedures/authorities/lib/authorities.sh

. procedures/authorities/lib/kubelet-is-healthy.sh

require_openssl
. shell/lib/work-folder.sh
if [ "$(authority_name "$PKI_FOLDER"/ca.crt)" = "$CA_NAME" ]; then
    echo "this machine trusts the new authority already"
    exit 0
fi
next_file ca.crt > "$work/ca.crt"
next_file ca.bridge > "$work/bridge"
refuse_other_authority ca "$work/bridge"
if ! openssl verify -CAfile "$work/ca.crt" "$kubelet_client" >/dev/null 2>&1; then
    use_kubelet_client < "$SECRETS/kubelet"
    start_kubelet_again
fi
wait_for_kubelet
