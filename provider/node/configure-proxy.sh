#!/bin/sh
# configure-proxy.sh: lets the services read a changed proxy, or removes the files of a former one.
# inputs: PROXY ("yes" if there is one)
# constants: PROXY_FILES
# shellcheck disable=SC2086 # lists of paths without spaces

if [ -z "$PROXY" ]; then
    files=$(ls $PROXY_FILES 2>/dev/null || true)
    [ -n "$files" ] || exit 0
    rm -f $files
fi
systemctl daemon-reload
for service in containerd kubelet; do
    # A stock image has neither yet, and systemd fails for a unit of which it knows our drop-in only.
    [ "$(systemctl show --value --property LoadState "$service.service")" != loaded ] || systemctl -q try-restart "$service.service"
done
