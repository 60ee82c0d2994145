#!/bin/sh
# enable-kubelet.sh: enables kubelet's service, which our unit describes.

systemctl daemon-reload
systemctl enable -q --no-reload kubelet.service
