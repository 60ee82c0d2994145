#!/bin/sh
# configure-container-runtime.sh: restarts containerd with its new configuration.

. node/containerd-answers.sh

mkdir -p /opt/cni/bin /etc/cni/net.d
systemctl restart containerd.service
wait_for_containerd "with this configuration"
