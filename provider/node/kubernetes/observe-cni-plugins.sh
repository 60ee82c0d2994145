#!/bin/sh
# observe-cni-plugins.sh: looks whether containerd finds the network plugins of the packages.

. shell/lib/observed.sh

for folder in /usr/lib/cni /usr/libexec/cni; do
    for plugin in "$folder"/*; do
        [ ! -x "$plugin" ] || [ -e "/opt/cni/bin/${plugin##*/}" ] || differs "/opt/cni/bin/${plugin##*/} is gone"
    done
done
