#!/bin/sh
# restart-kubelet.sh: kubelet begins again: it registers a Node that the snapshot does not know. Pods keep running.

. shell/lib/usual-path.sh

systemctl restart kubelet.service
