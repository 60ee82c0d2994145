#!/bin/sh
# observe-runtime-config.sh: looks whether containerd's configuration is as we wrote it, and containerd runs.
# constants: CONFIG_COPY

. node/runtime/observe-container-runtime.sh

cmp -s "$CONFIG_COPY" /etc/containerd/config.toml || differs "/etc/containerd/config.toml has changed"
