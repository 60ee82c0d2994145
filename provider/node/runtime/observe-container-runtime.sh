#!/bin/sh
# observe-container-runtime.sh: looks whether containerd answers and is started at boot. One that takes long, as on a machine with much to do, is not known to be
# another than before: to put it back would restart it.

. shell/lib/usual-path.sh

. shell/lib/observed.sh

runs containerd.service
code=0
timeout 5 ctr version >/dev/null 2>&1 || code=$?
[ "$code" != 124 ] || { echo "containerd did not answer within 5 s"; exit 1; }
[ "$code" = 0 ] || differs "containerd does not answer"
