#!/bin/sh
# trust-authority-on-worker.sh: this worker trusts the next authority alone. All API servers serve a certificate of it by now. Does nothing where that is done.
# secrets: authorities
# constants: KUBELET_CONFIG PKI_FOLDER

. shell/lib/usual-path.sh

. member/lib/due-certificates.sh

. member/lib/kubelet-certificates.sh

. procedures/lib/started-since.sh

. procedures/authorities/lib/authorities.sh

. procedures/authorities/lib/kubelet-is-healthy.sh

. shell/lib/work-folder.sh
next_file ca.crt > "$work/ca.crt"
# first: else this machine would be taken for another cluster's
note_authority "$work/ca.crt"
put_file "$PKI_FOLDER"/ca.crt 644 < "$work/ca.crt"
with_authority "$KUBELET_CONFIG" "$work/ca.crt" > "$work/conf"
put_file "$KUBELET_CONFIG" 600 < "$work/conf"
if ! kubelet_has_read "$KUBELET_CONFIG"; then
    sleep 2
    start_kubelet_again
fi
wait_for_kubelet
