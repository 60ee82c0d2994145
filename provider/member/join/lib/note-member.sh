#!/bin/sh
# note-member.sh: records the settings that this node runs with, then that it is a member.
# inputs: MARK_CLUSTER MARK_KUBELET MARK_ETCD KUBELET_FLAGS CLUSTER
# constants: APPLIED_FOLDER AUTHORITY_FILE KUBELET_FLAGS_FILE MEMBER_FILE PKI_FOLDER

. member/lib/has-text-of.sh

mkdir -p "$APPLIED_FOLDER"
printf '%s\n' "$MARK_CLUSTER" > "$APPLIED_FOLDER"/cluster
printf '%s\n' "$MARK_KUBELET" > "$APPLIED_FOLDER"/kubelet
printf '%s\n' "$MARK_ETCD" > "$APPLIED_FOLDER"/etcd
printf '%s\n' "$KUBELET_FLAGS" > "$KUBELET_FLAGS_FILE"
# after a rotation the note also has the authority by which the cluster is known
if ! has_text_of "$PKI_FOLDER"/ca.crt "$AUTHORITY_FILE"; then cat "$PKI_FOLDER"/ca.crt > "$AUTHORITY_FILE"; fi
printf '%s\n' "$CLUSTER" > "$MEMBER_FILE"
