#!/bin/sh
# renewal-at-upgrade.sh: renewal_at_upgrade prints whether kubeadm may renew certificates while it moves this machine to a version. Where they have bridges, a
# rotation of the authorities may be under way: a certificate without its bridge would cut this etcd off from members that trust others. They are renewed before they end.
# constants: PKI_FOLDER

renewal_at_upgrade() {
    if [ "$(grep -c BEGIN "$PKI_FOLDER"/etcd/peer.crt 2>/dev/null)" -ge 2 ]; then echo false; else echo true; fi
}
