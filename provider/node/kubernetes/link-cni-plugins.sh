#!/bin/sh
# link-cni-plugins.sh: links the network plugins of packages into the folder where containerd looks.

mkdir -p /opt/cni/bin
for folder in /usr/lib/cni /usr/libexec/cni; do
    for plugin in "$folder"/*; do
        [ -x "$plugin" ] || continue
        [ -e "/opt/cni/bin/${plugin##*/}" ] || ln -s "$plugin" /opt/cni/bin/
    done
done
