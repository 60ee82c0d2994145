#!/bin/sh
# observe-container-runtime.sh: looks whether containerd answers and is started at boot.

. shell/lib/observed.sh

runs containerd.service
timeout 5 ctr version >/dev/null 2>&1 || differs "containerd does not answer"
