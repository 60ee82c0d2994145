#!/bin/sh
# observe-kubelet-service.sh: looks whether kubelet's service exists and is started at boot. Whether it runs belongs to the join.

. shell/lib/observed.sh

systemctl cat kubelet.service >/dev/null 2>&1 || differs "there is no kubelet.service"
systemctl -q is-enabled kubelet.service 2>/dev/null || differs "kubelet.service is not started at boot"
