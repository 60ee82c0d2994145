#!/bin/sh
# forget-applied.sh: deletes the marks by which a step would take its settings for applied. etcd's only where its own manifest was changed: its rewriting needs
# a healthy etcd on all control-plane nodes. kubelet's flags are put back here, because the step keeps those that are not ours.
# constants: APPLIED_FOLDER ETCD_MANIFEST KUBEADM_FLAGS_FILE LEFT LEFT_FILE LEFT_FLAGS
# shellcheck disable=SC2034 # apply-kubelet-settings.sh reads $again

. member/join/lib/left-files.sh

case " $LEFT " in
    *" $ETCD_MANIFEST "*)
        [ -z "$(changed_files "$ETCD_MANIFEST")" ] || rm -f "$APPLIED_FOLDER"/etcd
        rm -f "$APPLIED_FOLDER"/cluster
        ;;
    *)
        if [ -n "$(changed_files "$KUBEADM_FLAGS_FILE")" ] && [ -f "$LEFT_FLAGS" ]; then
            cp "$LEFT_FLAGS" "$KUBEADM_FLAGS_FILE".new
            mv "$KUBEADM_FLAGS_FILE".new "$KUBEADM_FLAGS_FILE"
        fi
        again=yes
        rm -f "$APPLIED_FOLDER"/kubelet
        ;;
esac
