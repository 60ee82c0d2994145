#!/bin/sh
# check-container-runtime.sh: starts the containerd of a server image.

. node/runtime/containerd-answers.sh

command -v containerd >/dev/null || { echo "the image has no containerd" >&2; exit 1; }
systemctl enable -q --no-reload containerd.service
systemctl start containerd.service || true
wait_for_containerd ""
