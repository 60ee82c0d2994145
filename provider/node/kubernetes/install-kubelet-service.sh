#!/bin/sh
# install-kubelet-service.sh: writes kubelet's unit where packages or image brought none, and enables it.
# inputs: UNIT DROP_IN (content of the files)
# constants: UNIT_FILE DROP_IN_FILE

if ! systemctl cat kubelet.service >/dev/null 2>&1; then
    mkdir -p "${DROP_IN_FILE%/*}"
    printf '%s' "$UNIT" > "$UNIT_FILE"
    printf '%s' "$DROP_IN" > "$DROP_IN_FILE"
    systemctl daemon-reload
fi
systemctl enable -q --no-reload kubelet.service
