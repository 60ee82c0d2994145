#!/bin/sh
# install-container-runtime.sh: installs containerd from the distribution if it is missing, and starts it.

. shell/lib/packages.sh

. node/runtime/containerd-answers.sh

install_packages
systemctl enable -q --no-reload containerd.service
systemctl start containerd.service || true
wait_for_containerd ""
