#!/bin/sh
# node-version.sh: which version of Kubernetes this machine runs.
# image_version COMPONENT prints the version of a static pod as its manifest has it; nothing if there is none.
# constants: KUBERNETES_FOLDER

. shell/lib/running-kubelet.sh

image_version() { sed -n 's/^ *image: .*:v\([0-9][^@ ]*\).*$/\1/p' "$KUBERNETES_FOLDER/manifests/$1.yaml" 2>/dev/null | head -n 1; }
